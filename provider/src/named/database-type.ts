import type { NamedAttributes } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import { flag } from '../lifecycle/input-values';
import type { NamedItem } from '../operations/service-project';
import { defineNamed, type NamedInputs, namedRows, postgresName, toNamedShape } from './named-type';

/** resources/database-args.ts says what each argument means. */
const shape = {
  ...toNamedShape({
    pattern: /^(postgres|template0|template1)$/,
    names: 'postgres, template0, template1',
  }),
  ownerName: postgresName,
  allowDataLoss: flag,
};

export type DatabaseInputs = NamedInputs & { readonly ownerName: string; readonly allowDataLoss?: boolean };

/** A Postgres database, with its data. */
export const databaseType = defineNamed<DatabaseInputs>({
  kind: 'database',
  shape,
  required: { ownerName: 'is the role of the branch that owns the database' },
  arguments: new ArgumentTable<DatabaseInputs, NamedItem, NamedAttributes, 'update'>({
    ...namedRows,
    name: { effect: 'update', attribute: 'name' },
    ownerName: { effect: 'update', attribute: 'owner_name' },
    allowDataLoss: { effect: 'none' },
  }),
  sent: ['ownerName', 'name'],
  role: 'ownerName',
  send: (api, at, attributes, deadline) => api.updateNamed('database', at, attributes, deadline),
  changes: { name: 'renames the database, with its data, and drops the connections to it' },
  forced: 'with its data',
  again: 'empty',
  loss: {
    kind: 'database',
    place: 'branchId',
    describe: (which, isRetained) =>
      isRetained
        ? `leaves ${which} at the service as long as its branch stays (retainOnDelete), and creates an empty one`
        : `deletes ${which} with its data`,
  },
});
