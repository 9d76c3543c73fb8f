import type { EmulatorOptions, Fault } from 'postgres-control-emulator';
import type { Mishap } from '../engine/simulated-run';
import type { Round, Scenario } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';

// What regressions consist of: programs with one endpoint, and what goes wrong.

/** A schedule that once broke a rule. */
export interface Regression {
  readonly service: EmulatorOptions;
  /** By default, a round declares one `read_write` endpoint, and nothing goes wrong in it. */
  readonly rounds: readonly Partial<Round>[];
  /** How many seeds to run, from 1 on. @default 4 */
  readonly seeds?: number;
  /** @default 20 */
  readonly longestDelayMs?: number;
  /** Changes the scenario. */
  readonly scenario?: Partial<Scenario>;
}

/** An endpoint that says no more than it has to. */
export const plan: SlotPlan = {
  isDeclared: true,
  project: 0,
  branch: 0,
  type: 'read_write',
  size: [0.25, 1],
  suspendTimeoutSeconds: 0,
  workMem: undefined,
  application: undefined,
  trigger: undefined,
  name: undefined,
  isWaiting: true,
  isStopped: false,
  createsBeforeDelete: false,
};
export const notWaiting: SlotPlan = { ...plan, isWaiting: false };
/** A forced replacement keeps it. */
export const keptReplica: SlotPlan = { ...plan, type: 'read_only', createsBeforeDelete: true };
export const forcedReplacement = { slot: 0, how: '--replace' } as const;

/** A round in which nothing goes wrong. */
export const quiet = (slot = plan): Partial<Round> => ({ slots: [slot], isQuiet: true });
/** A round that fails, and after which the user edits the program again. */
export const left = (slot: SlotPlan, ...faults: Fault[]): Partial<Round> => ({
  slots: [slot],
  faults,
  isLeft: true,
});
/** A round that a user repairs. */
export const round = (slot: SlotPlan, more: Partial<Round> = {}): Partial<Round> => ({
  slots: [slot],
  ...more,
});

/** The cut comes at this write of the run: a request that is sent, or its response that is delivered. */
export const cutAt = (
  at: number,
  kind: Mishap['kind'] = 'kill of the host',
  more: Partial<Mishap> = {},
): Mishap => ({ kind, counts: 'writes', at, lingerMs: 0, ...more });

export const deletion = {
  at: 2,
  what: 'delete an endpoint',
  slot: 0,
  type: 'read_only',
  name: 'own',
  status: 'running',
  forMs: 200,
} as const;

const endpoint = '/projects/:p/endpoints/:e';
export const calls = {
  anyGet: { method: 'GET', path: '/**' },
  create: { method: 'POST', path: '/projects/:p/endpoints' },
  change: { method: 'PATCH', path: endpoint },
  verb: { method: 'POST', path: `${endpoint}/:verb` },
  start: { method: 'POST', path: `${endpoint}/start` },
  endpoints: { method: 'GET', path: '/projects/:p/endpoints' },
  branches: { method: 'GET', path: '/projects/:p/branches' },
  operations: { method: 'GET', path: '/projects/:p/operations' },
} as const;

type Call = (typeof calls)[keyof typeof calls];
type Action = 'start_compute' | 'suspend_compute' | 'apply_config' | 'create_branch';

export const fails = (action: Action, times = 1): Fault => ({
  match: { action },
  times,
  effect: { kind: 'operation-fails', status: 'failed' },
});
export const hangs = (action: Action): Fault => ({
  match: { action },
  times: 1,
  effect: { kind: 'operation-hangs' },
});
export const isLate = (match: Call, times: number, lateMs: number): Fault => ({
  match,
  times,
  effect: { kind: 'late-read', lateMs },
});
/** A proxy answers in place of the service. */
export const isHidden = (
  match: Call,
  when: 'before-work' | 'after-work' = 'after-work',
  times = 1,
  status = 404,
): Fault => ({ match, times, effect: { kind: 'proxy-page', status, when } });
export const isRefused = (
  match: Call,
  times = 1,
  status = 422,
  when: 'before-work' | 'after-work' = 'before-work',
): Fault => ({ match, times, effect: { kind: 'status', status, when } });
