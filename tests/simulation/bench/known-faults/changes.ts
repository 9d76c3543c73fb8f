import type { KnownFault } from '../patched-source';

export const changeFaults: readonly KnownFault[] = [
  {
    name: 'a restart that was cut off is done a second time after a refresh',
    file: 'lifecycle/argument-table.ts',
    find: 'unsettled.has(name) || (this.has(name) && (!this.isReadable(name) || this.#isKeptAlone(name, shown)))',
    replace: 'unsettled.has(name)',
  },
  {
    name: 'triggers that are removed during a restart leave the compute suspended',
    file: 'lifecycle/argument-table.ts',
    find: '!isEqual(whenRemoved, outputs[name] ?? whenRemoved)',
    replace: '!isEqual(whenRemoved, outputs[name])',
  },
  {
    name: 'an update is sent again without a look at what the lost one has done',
    file: 'control-api/write-once.ts',
    find: 'mayBeDone = true;\n        write.onLost?.();',
    replace: 'mayBeDone = false;',
  },
  {
    name: 'the diff ignores one argument',
    file: 'lifecycle/argument-table.ts',
    find: 'if (value !== undefined) return isUnknown(value)',
    replace: `if (name === 'suspendTimeoutSeconds') return false;\n if (value !== undefined) return isUnknown(value)`,
  },
  {
    name: 'an argument that the program no longer gives keeps its value',
    file: 'lifecycle/argument-table.ts',
    find: 'return whenRemoved !== undefined && !isEqual(whenRemoved, outputs[name] ?? whenRemoved);',
    replace: 'return false;',
  },
  {
    name: 'allowRestart is ignored',
    file: 'lifecycle/provider-core.ts',
    find: 'return Boolean(allowRestart ?? this.config.allowRestart);',
    replace: 'return true;',
  },
  {
    name: 'a refresh forgets what an update did not finish',
    file: 'lifecycle/argument-table.ts',
    find: 'unsettled.has(name) || (this.has(name) && (!this.isReadable(name) || this.#isKeptAlone(name, shown)))',
    replace: 'this.has(name) && (!this.isReadable(name) || this.#isKeptAlone(name, shown))',
  },
];
