import type { Deadline } from './deadline';
import { HttpClient, path } from './http-client';
import type { CallOptions } from './retry';
import {
  type Named,
  type NamedAttributes,
  type NamedChange,
  type NamedKind,
  namedShapes,
  responses,
} from './wire-types';

/** The branch within which a name is unique. */
export type NamedPlace = { readonly projectId: string; readonly branchId: string };
/** Which role or database of which branch. */
export type NamedPath = NamedPlace & { readonly name: string };

/** Its path. The id in state is the path at the creation or the import, which a rename does not change. */
export function toNamedId({ projectId, branchId, name }: NamedPath): string {
  return `${projectId}/${branchId}/${name}`;
}

/** A name may contain slashes. */
export function parseNamedId(id: string): NamedPath {
  const [projectId = '', branchId = '', ...name] = id.split('/');
  return { projectId, branchId, name: name.join('/') };
}

/** The calls for roles and databases. Each rejects with a ControlApiError. */
export class NamedApi extends HttpClient {
  async listNamed(kind: NamedKind, at: NamedPlace, options?: CallOptions): Promise<Named[]> {
    return this.call('GET', pathOf(kind, at), namedShapes(kind).items, options);
  }

  async getNamed(kind: NamedKind, at: NamedPath, deadline?: Deadline): Promise<Named> {
    return this.call('GET', pathOfOne(kind, at), namedShapes(kind).item, { deadline });
  }

  async createNamed(
    kind: NamedKind,
    at: NamedPlace,
    attributes: NamedAttributes,
    deadline?: Deadline,
  ): Promise<NamedChange> {
    const body = { [kind]: attributes };
    return this.call('POST', pathOf(kind, at), namedShapes(kind).change, { body, deadline });
  }

  async updateNamed(
    kind: NamedKind,
    at: NamedPath,
    attributes: NamedAttributes,
    deadline?: Deadline,
  ): Promise<NamedChange> {
    const body = { [kind]: attributes };
    return this.call('PATCH', pathOfOne(kind, at), namedShapes(kind).change, { body, deadline });
  }

  /** Gives it a new password. A second request does so again. */
  async resetPassword(role: NamedPath, deadline?: Deadline): Promise<NamedChange> {
    const url = `${pathOfOne('role', role)}/reset_password`;
    return this.call('POST', url, namedShapes('role').change, { deadline });
  }

  /** Rejects with 412 where the project stores no passwords. */
  async revealPassword(role: NamedPath, deadline?: Deadline): Promise<string> {
    const url = `${pathOfOne('role', role)}/reveal_password`;
    return (await this.call('GET', url, responses.password, { deadline })).password;
  }

  /** Resolves to undefined when the service returns 204: it no longer exists. */
  async deleteNamed(kind: NamedKind, at: NamedPath, deadline?: Deadline): Promise<NamedChange | undefined> {
    return this.call('DELETE', pathOfOne(kind, at), namedShapes(kind).change.optional(), { deadline });
  }
}

function pathOf(kind: NamedKind, { projectId, branchId }: NamedPlace): string {
  return `${path`/projects/${projectId}/branches/${branchId}`}/${kind}s`;
}

function pathOfOne(kind: NamedKind, { name, ...at }: NamedPath): string {
  return `${pathOf(kind, at)}${path`/${name}`}`;
}
