import type { KnownFault } from '../patched-source';

export const changeFaults: readonly KnownFault[] = [
  {
    name: 'a failed update keeps nothing in state',
    file: 'endpoint/endpoint-lifecycle.ts',
    find: 'return run.keepInState(resume(), outputs);',
    replace: 'return resume();',
  },
  {
    name: 'an update does not resume what an earlier one has not applied',
    file: 'endpoint/endpoint-lifecycle.ts',
    find: 'union(declared, outputs.__unapplied).filter(isSent)',
    replace: 'declared.filter(isSent)',
  },
  {
    name: 'a change of size with a trigger restarts the compute twice',
    file: 'endpoint/endpoint-run.ts',
    find: "if (started.some(({ action }) => action === 'start_compute')) return true;",
    replace: '',
  },
  {
    name: 'a restart that was cut off is not recorded',
    file: 'endpoint/endpoint-run.ts',
    find: "this.#unapplied = names.filter((name) => name === 'restartTriggers');",
    replace: 'this.#unapplied = [];',
  },
  {
    name: 'a resumed restart does not start a compute that is suspended already',
    file: 'endpoint/endpoint-run.ts',
    find: 'if (!isSuspended && !isRestarting) return true;',
    replace: 'if (!isSuspended) return true;',
  },
  {
    name: 'a restart starts a compute that was idle',
    file: 'endpoint/endpoint-run.ts',
    find: 'if (!isSuspended && !isRestarting) return true;',
    replace: '',
  },
  {
    name: 'a restart after a lost response does not start the compute again',
    file: 'endpoint/endpoint-writer.ts',
    find: 'isEffective: isOutcomeUnknown || change.operations.length > 0',
    replace: 'isEffective: change.operations.length > 0',
  },
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
    name: 'a failed suspension of a restart does not lead to a start',
    file: 'endpoint/endpoint-run.ts',
    find: "if (due.includes('restartTriggers') || (isSuspendDue && wasRestart))",
    replace: "if (due.includes('restartTriggers'))",
  },
  {
    name: 'a restart that failed twice does not start the compute',
    file: 'endpoint/endpoint-run.ts',
    find: 'return this.#restart(isRestarting || isStartDue);',
    replace: 'return this.#restart(isRestarting);',
  },
  {
    name: 'a failed start is not repeated',
    file: 'endpoint/endpoint-run.ts',
    find: 'else if (isStartDue) return (await this.#start()) || !this.#operations.isSuspending;',
    replace: '',
  },
  {
    name: 'an update does not wait for the operations of an earlier one',
    file: 'endpoint/endpoint-run.ts',
    find: 'const leftovers = await this.#awaitLeftovers(earlier, names);',
    replace: 'const leftovers: Leftovers = { due: names, failed: [], wasRestart: false };',
  },
  {
    name: 'a change whose operation failed is not sent again',
    file: 'endpoint/endpoint-run.ts',
    find: 'if (this.#operations.hasFailed) this.#unapplied = names;',
    replace: '',
  },
  {
    name: 'an update is sent again without a look at what the lost one has done',
    file: 'control-api/write-once.ts',
    find: 'mayBeDone || write.isLookupDue?.() ? await findDone(mayBeDone) : undefined',
    replace: 'write.isLookupDue?.() ? await findDone(false) : undefined',
  },
  {
    name: 'the operations of an update whose response was lost are not waited for',
    file: 'endpoint/endpoint-writer.ts',
    find: 'const isLookupDue = isOutcomeUnknown && operations.length === 0;',
    replace: 'const isLookupDue = false;',
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
    name: 'an update sends all arguments',
    file: 'endpoint/endpoint-writer.ts',
    find: 'const attributes = toAttributes(names, inputs);',
    replace: 'const attributes = toAttributes(Object.keys(inputs) as InputName[], inputs);',
  },
  {
    name: 'an update sends one argument too many',
    file: 'endpoint/endpoint-writer.ts',
    find: 'const attributes = toAttributes(names, inputs);',
    replace: "const attributes = toAttributes([...names, 'suspendTimeoutSeconds'], inputs);",
  },
  {
    name: 'the endpoint is not compared with what was asked',
    file: 'endpoint/endpoint-run.ts',
    find: 'isWaiting ? findDrift(endpoint, inputs).filter((name) => name !== except) : []',
    replace: '[] as InputName[]',
  },
  {
    name: 'settings in another spelling count as drift',
    file: 'endpoint/argument-effects.ts',
    find: '    matches: isSameSettings,\n',
    replace: '',
  },
  {
    name: 'allowRestart is ignored',
    file: 'endpoint/endpoint-lifecycle.ts',
    find: 'return allowRestart ?? this.core.config.allowRestart;',
    replace: 'return true;',
  },
];
