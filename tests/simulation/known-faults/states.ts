import type { KnownFault } from '../patched-source';

export const stateFaults: readonly KnownFault[] = [
  {
    name: 'the outputs of a secret argument are not marked',
    file: 'lifecycle/secret-outputs.ts',
    find: 'const secret = union(secretNames, intersection(argumentNames, kept));',
    replace: 'const secret = intersection(argumentNames, kept);',
  },
  {
    name: 'an output is no longer marked once the program gives another value',
    file: 'lifecycle/secret-outputs.ts',
    find: 'const secret = union(secretNames, intersection(argumentNames, kept));',
    replace: 'const secret = union(secretNames);',
  },
  {
    name: 'messages show secrets',
    file: 'lifecycle/provider-core.ts',
    find: 'return (text) => toPrintable(redactor()(text));',
    replace: 'return (text) => toPrintable(text);',
  },
  {
    name: 'a secret name that the program no longer gives is not a secret',
    file: 'lifecycle/check-declaration.ts',
    find: "...(isNameSecret && { secretNames: union(secretNames, ['name']) }),",
    replace: '',
  },
  {
    name: 'the state does not record unfinished operations',
    file: 'endpoint/endpoint-operations.ts',
    find: "this.latest.filter((operation) => outcomeOf(operation) !== 'succeeded')",
    replace: "this.latest.filter((operation) => outcomeOf(operation) === 'failed')",
  },
  {
    name: 'the state does not record failed operations',
    file: 'endpoint/endpoint-operations.ts',
    find: "this.latest.filter((operation) => outcomeOf(operation) !== 'succeeded')",
    replace: "this.latest.filter((operation) => outcomeOf(operation) === 'unfinished')",
  },
  {
    name: 'an update without waiting forgets the operations of the one before',
    file: 'endpoint/endpoint-operations.ts',
    find: 'const unfinished = earlier.filter(isUnfinished).map((operation) => this.#toOperation(operation));',
    replace: 'const unfinished: Operation[] = [];',
  },
  {
    name: 'a preview starts the compute',
    file: 'endpoint/endpoint-lifecycle.ts',
    find: 'const due = union(changes, unappliedOf(outputs));',
    replace: `const due = union(changes, unappliedOf(outputs));
      const { projectId } = prior.outputs;
      if (changes.length > 0) await this.core.projects.project(projectId).api.controlEndpoint(projectId, id, 'start');`,
  },
  {
    name: 'a preview without changes sends requests',
    file: 'preview/preview-diagnostics.ts',
    find: 'if (isDisruptive(changes, news, failed)) {',
    replace: 'if (true) {',
  },
  {
    name: 'settings that a killed update has set stay when the program takes them back',
    file: 'endpoint/drift.ts',
    find: 'isMatch(name, value, reported) && isMatch(name, reported, value)',
    replace: 'isMatch(name, value, reported)',
  },
  {
    name: 'a take-over stores an earlier secret in plain text',
    file: 'lifecycle/secret-outputs.ts',
    find: 'before && union(before.listAssumed(), assumeSecret(createsBeforeDelete, outputs))',
    replace: 'before && []',
  },
];
