import type { Fault } from 'postgres-control-emulator';
import type { Declaration, Program } from '../engine/agreement/agreement-scenario';
import type { UserSchedule, UserStep } from './user-schedule';

// Cases in which ordinary steps of a user lost data, or left the program and the service apart.

const branch = (args: Declaration['args'] = {}): Declaration => ({ type: 'Branch', args });
const on = (branchId: object, args: Declaration['args'] = {}): Declaration => ({
  args: { branchId, ...args },
});
const replica = (maxCu: number): Declaration => ({
  args: { type: 'read_only', autoscalingLimitMinCu: maxCu, autoscalingLimitMaxCu: maxCu },
});
const data = branch({ name: 'data' });
const adopting = (more: Declaration['args'] = {}): Declaration => ({
  ...branch({ name: 'data', adopt: true, ...more }),
  dependsOn: ['r'],
});
const failedResize: Fault = {
  match: { action: 'apply_config' },
  times: 1,
  effect: { kind: 'operation-fails' },
};
const up = (program: Program, more: Partial<UserStep> = {}): UserStep => ({
  program,
  command: 'up',
  ...more,
});
const elsewhere = { parentId: { $place: 'first' } } as const;
const continuing = { continuesOnError: true, faults: [failedResize] } as const;
const retained: Declaration = { ...branch({ name: 'data', allowDataLoss: true }), retainOnDelete: true };

const cases: Readonly<Record<string, Partial<UserSchedule> & Pick<UserSchedule, 'steps'>>> = {
  'adopter depends on what fails': {
    steps: [up({ r: replica(1), one: data }), up({ r: replica(2), uno: adopting() }, continuing)],
  },
  'adopter of an endpoint depends on what fails': {
    steps: [
      up({ r: replica(1), e: { args: { name: 'app' } } }),
      up(
        { r: replica(2), ee: { args: { name: 'app', adopt: true }, placesOf: 'e', dependsOn: ['r'] } },
        continuing,
      ),
    ],
  },
  'adopter does not fit': {
    steps: [
      up({ one: data }),
      up(
        { uno: branch({ name: 'data', adopt: true, ...elsewhere }) },
        { continuesOnError: true, skipsPreview: true },
      ),
    ],
  },
  'branch removed under an endpoint': {
    allowsRestart: false,
    steps: [up({ a: branch() }), up({ a: branch(), e: on({ $id: 'a' }) }), up({ e: on({ $id: 'a' }) })],
  },
  'retained branch': {
    steps: [
      up({ a: retained, e: on({ $ref: 'a' }) }),
      up({ a: { ...retained, args: { ...retained.args, ...elsewhere } }, e: on({ $ref: 'a' }) }),
    ],
  },
  'project moved, branch forgotten': {
    steps: [up({ e: {} }), up({ e: { place: 'second project', ...on({ $place: 'first' }) } })],
  },
  'endpoint forced onto a branch that is replaced': {
    steps: [
      up({ r: replica(1), one: data }),
      up({ r: replica(1), one: data, e: on({ $id: 'one' }) }),
      up({ r: replica(2), one: data, e: on({ $id: 'one' }) }, { replace: ['one', 'e'] }),
    ],
    service: { operationMs: 0 },
    longestDelayMs: 5,
  },
  'endpoint forced onto a branch that becomes protected': {
    steps: [
      up({ one: branch() }),
      up({ one: branch(), e: on({ $id: 'one' }) }),
      up({ one: branch({ protected: true }), e: on({ $id: 'one' }) }, { taint: ['e'] }),
    ],
    service: { operationMs: 100, lateListsMs: 1_500 },
    seed: 14,
  },
  'move to an occupied branch': {
    steps: [
      up({ e: {} }),
      up(
        { e: { place: 'second branch' } },
        { intrusions: [{ resource: 'e', place: 'second branch', creates: {} }] },
      ),
    ],
  },
  'both names at once': {
    steps: [up({ one: data }), up({ uno: branch({ name: 'other', adopt: true }) })],
  },
  'name handed on': {
    steps: [up({ a: data }), up({ a: branch({ name: 'other' }), b: branch({ name: 'data' }) })],
  },
  'name handed on to an adopter': {
    steps: [up({ a: data }), up({ a: branch({ name: 'other' }), b: branch({ name: 'data', adopt: true }) })],
  },
};

export const lossCases: readonly (UserSchedule & { readonly name: string })[] = Object.entries(cases).map(
  ([name, schedule]) => ({
    name,
    seed: 1,
    service: { operationMs: 100 },
    longestDelayMs: 200,
    allowsRestart: true,
    ...schedule,
  }),
);
