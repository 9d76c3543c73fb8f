import { expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { Deadline } from '../control-api/deadline';
import type { ServiceProject } from '../operations/service-project';
import { controlPower } from './endpoint-power';

it('does not take the start of another endpoint for a restart', async () => {
  const lists = [[], [operationOf({ endpoint_id: 'ep-other', action: 'start_compute' })]];
  const restarted = { endpoint: { id: 'ep-1' }, operations: [] };
  const project = {
    api: {
      listOperations: async () => ({ operations: lists.shift() }),
      getEndpoint: async () => ({ id: 'ep-1' }),
      controlEndpoint: async () => restarted,
    },
    // After a lost response.
    write: async ({ findDone, send }: Parameters<ServiceProject['write']>[0]) => (await findDone()) ?? send(),
  } as unknown as ServiceProject;
  const request = {
    endpointId: 'ep-1',
    verb: 'restart',
    deadline: new Deadline(1_000),
    onLocked: () => {},
  } as const;
  expect(await controlPower(project, request)).toBe(restarted);
});
