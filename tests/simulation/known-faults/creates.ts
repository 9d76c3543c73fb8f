import type { KnownFault } from '../patched-source';

export const createFaults: readonly KnownFault[] = [
  {
    name: 'a failed create leaves nothing in state',
    file: 'endpoint/endpoint-create.ts',
    find: 'const outputs = await run.keepInState(finished);',
    replace: 'const outputs = await finished;',
  },
  {
    name: 'a failed take-over leaves nothing in state',
    file: 'endpoint/endpoint-create.ts',
    find: 'return { id, outputs: await run.keepInState(finish()) };',
    replace: 'return { id, outputs: await finish() };',
  },
  {
    name: 'a create does not look for an endpoint that it has created before',
    file: 'endpoint/create-once.ts',
    find: 'if (found) return found;',
    replace: '',
  },
  {
    name: 'a create uses the declared name from the start',
    file: 'endpoint/create-once.ts',
    find: 'const name = derived ?? inputs.name;',
    replace: 'const name = inputs.name ?? derived;',
  },
  {
    name: 'a create takes over an endpoint of the declared name',
    file: 'endpoint/existing-endpoint.ts',
    find: `if (named && (own || !(inputs.adopt && isSamePlace(named, inputs))))
    throw new TakenError(describeTaken(inputs, named, own), map(compact([named, own]), 'id'));
  if (own) return { kind: isInPlace ? 'own' : 'adopted', endpoint: own };
  const adopted = inputs.adopt ?`,
    replace: `if (named && !isSamePlace(named, inputs))
    throw new TakenError(describeTaken(inputs, named, own), map(compact([named, own]), 'id'));
  if (own) return { kind: isInPlace ? 'own' : 'adopted', endpoint: own };
  const adopted = inputs.adopt || named ?`,
  },
  {
    name: 'a name that another client uses too hides the endpoint that a killed create left',
    file: 'endpoint/existing-endpoint.ts',
    find: "return sortBy(named, (endpoint) => !isSamePlace(endpoint, inputs), createdAt, 'id')[0];",
    replace: 'return named[0];',
  },
  {
    name: 'a list that still shows a deleted endpoint refuses a create',
    file: 'endpoint/endpoint-create.ts',
    find: '(error instanceof TakenError &&',
    replace: '(false && error instanceof TakenError &&',
  },
  {
    name: 'a create takes over an endpoint that only a lagging list shows',
    file: 'endpoint/endpoint-create.ts',
    find: 'const now = await project.endpoints.findOrHide(id, project.readLagMs, deadline, isSame);',
    replace: 'const now = listed;',
  },
  {
    name: 'a take-over changes what a stale list shows',
    file: 'endpoint/endpoint-create.ts',
    find: 'findTakeOverChanges(current, inputs, isOwn)',
    replace: 'findTakeOverChanges((current, listed), inputs, isOwn)',
  },
  {
    name: 'a create fails because its last list takes long',
    file: 'endpoint/endpoint-run.ts',
    find: 'this.#endpoint.find(Math.max(project.readLagMs, deadline.remainingMs))',
    replace: 'this.#endpoint.find(project.readLagMs)',
  },
  {
    name: 'a create of a replica is repeated when one list does not show it',
    file: 'endpoint/create-once.ts',
    find: "const isPatient = isOutcomeUnknown && work.inputs.type === 'read_only';",
    replace: 'const isPatient = false;',
  },
  {
    name: 'a create that another process has overtaken keeps its duplicate',
    file: 'endpoint/endpoint-create.ts',
    find: 'findOlderDuplicate(target, endpoints, change.endpoint);',
    replace: 'findOlderDuplicate(target, [], change.endpoint);',
  },
  {
    name: 'a take-over keeps the duplicates of its endpoint',
    file: 'endpoint/duplicates.ts',
    find: 'await deleteEndpoint(project, duplicate.id, deadline, progress);',
    replace: 'progress.show(duplicate.id, 0);',
  },
  {
    name: 'an update does not look for the duplicates that a failed create has left',
    file: 'endpoint/endpoint-lifecycle.ts',
    find: 'const created = mayHaveDuplicates(outputs) && ',
    replace: 'const created = !outputs && ',
  },
  {
    name: 'a take-over deletes the other endpoints of the branch',
    file: 'endpoint/duplicates.ts',
    find: 'return own.filter((endpoint) => isSamePlace(endpoint, inputs) && isDuplicate(endpoint));',
    replace:
      'return endpoints.filter(({ id, branch_id }) => own && branch_id === kept.branch_id && id !== kept.id);',
  },
  {
    name: 'a take-over does not wait for the operations of the killed create',
    file: 'endpoint/endpoint-create.ts',
    find: "await run.resume(await run.findEarlier(isOwn, ['adopt', ...changes]), changes);",
    replace: 'await run.resume([], changes);',
  },
  {
    name: 'a refused create of a second read_write endpoint does not look for its own',
    file: 'endpoint/branch-conflict.ts',
    find: 'if (found?.existing) return found.existing;',
    replace: '',
  },
  {
    name: 'a forced replacement that keeps the endpoint keeps single settings, too',
    file: 'endpoint/drift.ts',
    find: 'return !isMatch(name, read(endpoint), inputs[name] ?? whenRemoved);',
    replace: 'return inputs[name] === undefined && !isSame(read(endpoint), whenRemoved);',
  },
  {
    name: 'the derived name is the same for an endpoint and its replacement',
    file: 'lifecycle/resource-name.ts',
    find: '    ...replacingValues,\n',
    replace: '',
  },
];
