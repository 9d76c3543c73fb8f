import type { KnownFault } from '../patched-source';

export const createFaults: readonly KnownFault[] = [
  {
    name: 'a name that another client uses too hides the endpoint that a killed create left',
    file: 'endpoint/existing-endpoint.ts',
    find: "return sortBy(named, (endpoint) => !isSamePlace(endpoint, inputs), createdAt, 'id')[0];",
    replace: 'return named[0];',
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
