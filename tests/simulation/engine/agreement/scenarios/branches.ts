import type { AgreementScenario, Declaration } from '../agreement-scenario';
import { refuses } from './faults';

const branch = (args: Declaration['args'] = {}): Declaration => ({ type: 'Branch', args });
const on = (name: string): Declaration => ({ args: { branchId: { $ref: name } } });
const elsewhere = { parentId: { $place: 'first' } } as const;
const pair = { a: branch(), e: on('a') } as const;
const moved = { a: branch({ ...elsewhere, allowDataLoss: true }), e: on('a') } as const;

/** Branches, with and without endpoints. */
export const branches: readonly AgreementScenario[] = [
  {
    name: 'a branch with an endpoint: create, change, refresh, destroy',
    steps: [
      { program: pair, command: 'preview' },
      { command: 'up' },
      { program: { ...pair, a: branch({ name: 'one', protected: true }) }, command: 'up' },
      { program: { ...pair, a: branch({ name: 'two' }) }, command: 'preview' },
      { command: 'up' },
      { command: 'refresh' },
      { command: 'destroy' },
    ],
  },
  {
    name: 'a branch that is replaced with its endpoint',
    steps: [
      { program: { ...pair, a: branch({ allowDataLoss: true }) }, command: 'up' },
      { program: moved, command: 'preview' },
      { command: 'up' },
      { command: 'up' },
    ],
  },
  {
    name: 'a branch that is replaced with its child and the endpoint of that',
    steps: [
      {
        program: {
          a: branch({ allowDataLoss: true }),
          c: branch({ parentId: { $ref: 'a' }, allowDataLoss: true }),
          e: on('c'),
        },
        command: 'up',
      },
      {
        program: { a: moved.a, c: branch({ parentId: { $ref: 'a' }, allowDataLoss: true }), e: on('c') },
        command: 'preview',
      },
      { command: 'up' },
    ],
  },
  {
    name: 'a branch that the program drops, under an endpoint that gives its id as text',
    steps: [
      { program: { a: branch(), e: { args: {} } }, command: 'up' },
      { program: { a: branch(), e: { args: { branchId: { $id: 'a' } } } }, command: 'up' },
      { program: { e: { args: { branchId: { $id: 'a' } } } }, command: 'preview' },
    ],
  },
  {
    name: 'a retained branch that the program drops, and one that is replaced',
    steps: [
      {
        program: {
          a: { ...branch({ allowDataLoss: true }), retainOnDelete: true },
          e: on('a'),
          b: { ...branch(), retainOnDelete: true },
        },
        command: 'up',
      },
      {
        program: {
          a: { ...branch({ ...elsewhere, allowDataLoss: true }), retainOnDelete: true },
          e: on('a'),
        },
        command: 'preview',
      },
      { command: 'up' },
      { command: 'destroy' },
    ],
  },
  {
    name: 'a tainted branch with an endpoint',
    steps: [
      { program: pair, command: 'up' },
      { command: 'up', taint: ['a'] },
      { command: 'up', faults: [refuses('POST')], replace: ['a'] },
      { command: 'up --refresh' },
    ],
  },
];
