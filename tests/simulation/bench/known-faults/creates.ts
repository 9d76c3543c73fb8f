import type { KnownFault } from '../patched-source';

export const createFaults: readonly KnownFault[] = [
  {
    name: 'a foreign endpoint of the same name hides an orphan',
    file: 'endpoint/existing-endpoint.ts',
    find: "return sortBy(named, (endpoint) => !isSamePlace(endpoint, inputs), createdAt, 'id');",
    replace: 'return named;',
  },
  {
    name: 'a forced replacement that keeps the endpoint keeps single settings, too',
    file: 'lifecycle/argument-table.ts',
    find: '!this.isMatch(name, this.#read(name, shown), inputs[name] ?? this.row(name).whenRemoved)',
    replace: 'inputs[name] === undefined && !isEqual(this.#read(name, shown), this.row(name).whenRemoved)',
  },
  {
    name: 'the derived name is the same for an endpoint and its replacement',
    file: 'lifecycle/resource-name.ts',
    find: '    ...replacingValues,\n',
    replace: '',
  },
];
