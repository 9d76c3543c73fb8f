import { expect } from 'vitest';
import type { Login, PostgresUser } from './postgres-emulator';

export interface CreatedBranch {
  branch: { id: string; parent_id?: string };
  connection_uris: { connection_parameters: Login }[];
  message: string;
}

/** Creates a project whose branch has a table with a row, owned by a role, and connects its client; and a branch of that. */
export async function createTable(service: PostgresUser) {
  const place = await service.createProject();
  const client = await service.connect(place.login);
  await client.query('CREATE TABLE notes (id serial PRIMARY KEY, text text)');
  await client.query("INSERT INTO notes (text) VALUES ('main')");
  const branches = `/projects/${place.projectId}/branches`;
  const branch = await service.createBranch(place.projectId, place.branchId, 'read_write');
  /** Creates a branch with only the schema. */
  const copySchema = async () => {
    const endpoints = [{ type: 'read_write' }];
    const copy = { parent_id: place.branchId, init_source: 'schema-only' };
    const { status, body } = await service.call<CreatedBranch>('POST', branches, { branch: copy, endpoints });
    expect([status, body.message]).toEqual([201, undefined]);
    return { id: body.branch.id, login: body.connection_uris[0]?.connection_parameters as Login };
  };
  return { ...place, client, branches, branch, copySchema };
}
