import type { Deadline } from './deadline';
import { HttpClient, path } from './http-client';
import type { CallOptions } from './retry';
import { type Role, type RoleChange, responses } from './wire-types';

/** Which role of which branch. */
export type RolePath = {
  readonly projectId: string;
  readonly branchId: string;
  readonly name: string;
};

/** The calls for the roles of a branch. Each rejects with a ControlApiError. */
export class RoleApi extends HttpClient {
  async listRoles(at: Omit<RolePath, 'name'>, options?: CallOptions): Promise<Role[]> {
    return (await this.call('GET', pathOf(at), responses.roleItems, options)).roles;
  }

  async getRole(role: RolePath, deadline?: Deadline): Promise<Role> {
    return (await this.call('GET', pathOfRole(role), responses.role, { deadline })).role;
  }

  async createRole({ name, ...at }: RolePath, deadline?: Deadline): Promise<RoleChange> {
    return this.call('POST', pathOf(at), responses.roleChange, { body: { role: { name } }, deadline });
  }

  /** Gives it a new password. A second request does so again. */
  async resetPassword(role: RolePath, deadline?: Deadline): Promise<RoleChange> {
    return this.call('POST', `${pathOfRole(role)}/reset_password`, responses.roleChange, { deadline });
  }

  /** Rejects with 412 where the project stores no passwords. */
  async revealPassword(role: RolePath, deadline?: Deadline): Promise<string> {
    const url = `${pathOfRole(role)}/reveal_password`;
    return (await this.call('GET', url, responses.password, { deadline })).password;
  }

  /** Resolves to undefined when the service returns 204: the role no longer exists. */
  async deleteRole(role: RolePath, deadline?: Deadline): Promise<RoleChange | undefined> {
    return this.call('DELETE', pathOfRole(role), responses.roleChange.optional(), { deadline });
  }
}

function pathOf({ projectId, branchId }: Omit<RolePath, 'name'>): string {
  return path`/projects/${projectId}/branches/${branchId}/roles`;
}

function pathOfRole({ name, ...at }: RolePath): string {
  return `${pathOf(at)}${path`/${name}`}`;
}
