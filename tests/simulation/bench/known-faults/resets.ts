import type { KnownFault } from '../patched-source';

export const resetFaults: readonly KnownFault[] = [
  {
    name: 'a reset that a killed run has done is repeated',
    file: 'lifecycle/find-reset.ts',
    find: 'if (!isReset(item)) return undefined;',
    replace: "if (writes !== 'unknown' || !isReset(item)) return undefined;",
  },
  {
    name: 'a reset whose response was lost is repeated',
    file: 'lifecycle/find-reset.ts',
    find: 'if (!isReset(item)) return undefined;',
    replace: "if (writes === 'unknown' || !isReset(item)) return undefined;",
  },
  {
    name: 'a refresh hides the reset of a killed run',
    file: 'branch/branch-state.ts',
    find: 'return { inputs: now, outputs: withResets(refreshed, outputs) };',
    replace: 'return { inputs: now, outputs: refreshed };',
  },
  {
    name: 'a reset that has failed counts as done',
    file: 'lifecycle/find-reset.ts',
    find: 'if (newest && isFailed(newest)) return undefined;',
    replace: '',
  },
  {
    name: 'a reset that a run does not see the end of counts as done',
    file: 'branch/branch-resource.ts',
    find: "before && left.__ledger?.owed?.includes('data') ? withResets(outputs, before) : outputs",
    replace: 'outputs',
  },
  {
    name: 'a reset asks for no permission',
    file: 'branch/branch-reset.ts',
    find: 'if (isForbidden)\n',
    replace: 'if (isForbidden && false)\n',
  },
];
