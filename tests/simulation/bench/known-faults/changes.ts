import type { KnownFault } from '../patched-source';

export const changeFaults: readonly KnownFault[] = [
  {
    name: 'a restart that was cut off is done a second time after a refresh',
    file: 'endpoint/endpoint-state.ts',
    find: 'new Set<string>([...unreported, ...unsettledOutputs])',
    replace: 'new Set<string>(unsettledOutputs)',
  },
  {
    name: 'triggers that are removed during a restart leave the compute suspended',
    file: 'endpoint/endpoint-changes.ts',
    find: '!isSame(whenRemoved, outputs[name] ?? whenRemoved)',
    replace: '!isSame(whenRemoved, outputs[name])',
  },
  {
    name: 'an update is sent again without a look at what the lost one has done',
    file: 'control-api/write-once.ts',
    find: 'mayBeDone || write.isLookupDue?.() ? await findDone(mayBeDone) : undefined',
    replace: 'write.isLookupDue?.() ? await findDone(false) : undefined',
  },
  {
    name: 'the diff ignores one argument',
    file: 'endpoint/endpoint-changes.ts',
    find: 'if (value !== undefined) return isUnknown(value) || !isSame(value, outputs[name]);',
    replace: `if (name === 'suspendTimeoutSeconds') return false;
  if (value !== undefined) return isUnknown(value) || !isSame(value, outputs[name]);`,
  },
  {
    name: 'an argument that the program no longer gives keeps its value',
    file: 'endpoint/endpoint-changes.ts',
    find: 'return whenRemoved !== undefined && !isSame(whenRemoved, outputs[name] ?? whenRemoved);',
    replace: 'return false;',
  },
  {
    name: 'settings in another spelling count as drift',
    file: 'endpoint/argument-effects.ts',
    find: '    matches: isSameSettings,\n',
    replace: '',
  },
  {
    name: 'allowRestart is ignored',
    file: 'lifecycle/provider-core.ts',
    find: 'return Boolean(allowRestart ?? this.config.allowRestart);',
    replace: 'return true;',
  },
  {
    name: 'a refresh forgets what an update did not finish',
    file: 'endpoint/endpoint-state.ts',
    find: 'const kept = keepProperties(before, isKept);',
    replace: 'const kept = pick(before, unreported);',
  },
];
