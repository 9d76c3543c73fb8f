import type { KnownFault } from '../patched-source';

/** Faults of the flow besides those of its table, whose rows `npm run simulate:rows` takes out. */
export const lifecycleFaults: readonly KnownFault[] = [
  {
    name: 'a failed create leaves nothing in state',
    file: 'lifecycle/run.ts',
    find: 'throw await this.#keepInState(error);',
    replace: 'throw error;',
  },
  {
    name: 'a start from before the suspension counts',
    file: 'lifecycle/ledger.ts',
    find: '!isStart(operation) || timeOf(operation) >= suspendedAt',
    replace: 'operation !== undefined || suspendedAt > 0',
  },
  {
    name: 'a restart never owes its start',
    file: 'lifecycle/evolve.ts',
    find: "return isRestart ? { ...situation, ledger: owe(situation.ledger, 'start') } : situation;",
    replace: 'return isRestart ? { ...situation } : situation;',
  },
  {
    name: 'what an earlier request has started is not traced',
    file: 'lifecycle/evolve.ts',
    find: "isUntraced ? 'untraced' : 'sent'",
    replace: "isUntraced ? 'sent' : 'sent'",
  },
  {
    name: 'a stop that is reverted suspends the compute',
    file: 'lifecycle/ledger.ts',
    find: "(reason) => reason !== 'stop' || isStopped",
    replace: "(reason) => reason !== 'stop' || isStopped || true",
  },
  {
    name: 'a lost request is not sent again',
    file: 'lifecycle/evolve.ts',
    find: "return { ...situation, ledger: moveTo(situation.ledger, 'due', names) };",
    replace: 'return names.length < 0 ? situation : { ...situation };',
  },
  {
    name: 'the state does not record what is due',
    file: 'lifecycle/stored-ledger.ts',
    find: "const due = namesAt(ledger, 'due', 'untraced');",
    replace: "const due = namesAt(ledger, 'last');",
  },
  {
    name: 'the state does not record operations',
    file: 'lifecycle/stored-ledger.ts',
    find: '...(operations.length > 0 && {',
    replace: '...(operations.length > 1_000 && {',
  },
  {
    name: 'a create does not look for what it has created before',
    file: 'lifecycle/create-once.ts',
    find: "if (existing) return { ...existing, writes: 'none' };",
    replace: "if (existing?.origin === 'adopted') return { ...existing, writes: 'none' };",
  },
  {
    name: 'an update sends all arguments',
    file: 'endpoint/endpoint-resource.ts',
    find: 'endpointArguments.toAttributes(names, inputs)',
    replace: 'endpointArguments.toAttributes([...Object.keys(inputs), ...names], inputs)',
  },
];
