import { expect } from 'vitest';
import type { PostgresUser } from './postgres-emulator';

/** Creates a project whose branch has a table with a row, and connects its client; and a branch of that. */
export async function createTable(service: PostgresUser) {
  const place = await service.createProject();
  const client = await place.connect();
  await client.query('CREATE TABLE notes (id serial PRIMARY KEY, text text)');
  await client.query("INSERT INTO notes (text) VALUES ('main')");
  const branch = await service.createBranch(place, 'read_write');
  /** Creates a branch with only the schema. */
  const copySchema = async () => {
    const copy = { parent_id: place.branchId, init_source: 'schema-only' };
    const endpoints = [{ type: 'read_write' }];
    const { status, body, operations } = await place.change('POST', 'branches', { branch: copy, endpoints });
    expect([status, body.message]).toEqual([201, undefined]);
    const [failed] = operations.filter((operation) => operation.status === 'failed');
    return {
      id: body.branch.id,
      login: body.connection_uris[0]?.connection_parameters,
      error: failed?.error,
    };
  };
  return { place, client, branch, copySchema };
}
