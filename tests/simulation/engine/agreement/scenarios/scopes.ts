import type { AgreementScenario, Declaration } from '../agreement-scenario';
import { refuses } from './faults';

const of = (suspendTimeoutSeconds: number, more: Partial<Declaration> = {}): Declaration => ({
  args: { suspendTimeoutSeconds },
  ...more,
});
const branch = (args: Declaration['args'] = {}): Declaration => ({ type: 'Branch', args });
const on = (name: string): Declaration => ({ args: { branchId: { $ref: name } } });
const three = { a: of(600), b: of(600), c: of(600) };
const later = { a: of(700), b: of(700), d: of(700) };

/** Commands that are about some resources, or that continue after an error. */
export const scopes: readonly AgreementScenario[] = [
  {
    name: '--target of one that changes, of one that is new and of one that the program drops',
    steps: [
      { program: three, command: 'up' },
      { program: later, command: 'preview', target: ['a'] },
      { command: 'up', target: ['a'] },
      { command: 'up', target: ['d'] },
      { command: 'up', target: ['c'] },
      { command: 'up' },
    ],
  },
  {
    name: '--exclude of one that changes and of one that the program drops',
    steps: [
      { program: three, command: 'up' },
      { program: { a: of(700), b: of(700) }, command: 'preview', exclude: ['a'] },
      { command: 'up', exclude: ['a', 'c'] },
      { command: 'up --refresh', exclude: ['b'] },
    ],
  },
  {
    name: '--target-replace, and --replace of another',
    steps: [
      { program: { a: of(600), b: of(600) }, command: 'up' },
      { program: { a: of(700), b: of(700) }, command: 'preview', targetReplace: ['a'] },
      { command: 'up', targetReplace: ['a'] },
      { command: 'up', replace: ['b'] },
    ],
  },
  {
    name: '--target of a branch whose endpoint the program drops, and the other way round',
    steps: [
      { program: { a: branch(), e: on('a') }, command: 'up' },
      { program: {}, command: 'up', target: ['a'] },
      { command: 'up', target: ['e'] },
      { command: 'up' },
    ],
  },
  {
    name: '--target of an endpoint on a branch that is not created',
    steps: [
      { program: { a: branch(), e: on('a'), b: of(600) }, command: 'preview', target: ['e'] },
      { command: 'up', target: ['e'] },
      { command: 'up', target: ['b'] },
    ],
  },
  {
    name: '--continue-on-error: an update that fails, while another endpoint is dropped and one depends on it',
    language: 'nodejs',
    steps: [
      { program: { ...three, d: of(600) }, command: 'up' },
      {
        program: {
          a: of(700),
          b: of(700, { dependsOn: ['a'] }),
          d: of(700, { dependsOn: ['b'] }),
          f: of(600),
        },
        command: 'up',
        continuesOnError: true,
        faults: [refuses('PATCH')],
      },
      { command: 'up' },
    ],
  },
  {
    name: '--continue-on-error: a new resource that depends on what fails takes the place of another',
    language: 'nodejs',
    steps: [
      { program: { r: of(600), one: branch({ name: 'data' }) }, command: 'up' },
      {
        program: { r: of(700), uno: { ...branch({ name: 'other' }), dependsOn: ['r'] } },
        command: 'preview',
      },
      { command: 'up', continuesOnError: true, faults: [refuses('PATCH')] },
      { command: 'up' },
    ],
  },
  {
    name: '--continue-on-error: the branch of an endpoint can not be created',
    language: 'nodejs',
    steps: [
      {
        program: { a: branch(), e: on('a'), b: of(600) },
        command: 'up',
        continuesOnError: true,
        faults: [
          {
            match: { method: 'POST', path: '/projects/:p/branches' },
            times: 'always',
            effect: { kind: 'status', status: 403 },
          },
        ],
      },
      { command: 'up' },
    ],
  },
  {
    name: '--continue-on-error: a delete that is refused of an endpoint on a branch',
    language: 'nodejs',
    steps: [
      { program: { a: branch(), e: on('a'), b: of(600) }, command: 'up' },
      {
        program: {},
        command: 'up',
        continuesOnError: true,
        faults: [
          {
            match: { method: 'DELETE', path: '/projects/:p/endpoints/:e' },
            times: 'always',
            effect: { kind: 'status', status: 403 },
          },
        ],
      },
      { command: 'destroy', continuesOnError: true },
    ],
  },
];
