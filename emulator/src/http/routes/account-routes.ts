import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ControlPlane } from '../../control-plane/control-plane';
import { notFound } from '../../records/api-error';
import { ACCOUNT_ID, REGION_ID } from '../../records/wire-types';
import { queryText, readQuery } from '../../requests/query-parameters';
import { id } from '../../validation/schemas';

const REGIONS_QUERY = z.object({ org_id: queryText.pipe(id).default(ACCOUNT_ID) });

/** There is one organization, which owns every project, and one user. */
export function addAccountRoutes(api: FastifyInstance, { settings }: ControlPlane): void {
  const plan = 'paid';
  const organization = {
    id: ACCOUNT_ID,
    name: 'Emulator',
    handle: 'emulator',
    plan,
    managed_by: 'console',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };
  const user = {
    id: 'emulator-user',
    login: 'emulator',
    email: 'user@example.com',
    name: 'Emulator',
    last_name: 'User',
    image: '',
    plan,
    auth_accounts: [],
    active_seconds_limit: 0,
    projects_limit: 0,
    branches_limit: 0,
    max_autoscaling_limit: settings.maxCu,
  };

  const place = { name: 'This machine', default: true, geo_lat: '0', geo_long: '0' };
  api.get('/regions', ({ query }) => {
    const { org_id } = readQuery(REGIONS_QUERY, query);
    return { regions: org_id === ACCOUNT_ID ? [{ region_id: REGION_ID, ...place }] : [] };
  });
  api.get('/users/me', () => user);
  api.get('/users/me/organizations', () => ({ organizations: [organization] }));
  api.get<{ Params: { org_id: string } }>('/organizations/:org_id', ({ params }) => {
    if (params.org_id !== ACCOUNT_ID) throw notFound('organization', params.org_id);
    return organization;
  });
}
