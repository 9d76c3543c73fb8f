import type { KnownFault } from '../patched-source';

export const deleteFaults: readonly KnownFault[] = [
  {
    name: 'a delete does not wait for its operations',
    file: 'lifecycle/delete-resource.ts',
    find: '  if (isAccepted)\n',
    replace: '  if (false)\n',
  },
  {
    name: 'a delete whose operation failed counts as done',
    file: 'lifecycle/delete-resource.ts',
    find: '(!isProven && (await remains(() => false)))',
    replace: 'false',
  },
  {
    name: 'the leftover of a forced replacement is never deleted',
    file: 'lifecycle/resource-claims.ts',
    find: 'isOwnLeftover ? undefined : holder',
    replace: 'holder',
  },
  {
    name: "a proxy's 404 counts as the service's",
    file: 'control-api/control-api-error.ts',
    find: 'return this.status === 404 && this.isFromService;',
    replace: 'return this.status === 404;',
  },
  {
    name: 'allowRestart: false refuses a refresh after others have changed the size',
    file: 'lifecycle/resource-lifecycle.ts',
    find: 'if (this.claims.isRefreshed(id, prior, news))',
    replace: 'if (false)',
  },
  {
    name: 'a refresh removes an endpoint that one list does not show',
    file: 'endpoint/endpoint-lifecycle.ts',
    find: 'await endpoints.findPatiently(id, readLagMs, sharedRead)',
    replace: 'await endpoints.find(id, sharedRead)',
  },
];
