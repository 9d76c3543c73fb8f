import type { KnownFault } from '../patched-source';

export const waitFaults: readonly KnownFault[] = [
  {
    name: 'a failed operation counts as success',
    file: 'operations/operation-outcome.ts',
    find: "['failed', { outcome: 'failed',",
    replace: "['failed', { outcome: 'succeeded',",
  },
  {
    name: 'a cancelled operation counts as success',
    file: 'operations/operation-outcome.ts',
    find: "['cancelled', { outcome: 'failed',",
    replace: "['cancelled', { outcome: 'succeeded',",
  },
  {
    name: 'an unknown status counts as success',
    file: 'operations/operation-outcome.ts',
    find: "meaningOfStatus.get(status)?.outcome ?? 'unfinished'",
    replace: "meaningOfStatus.get(status)?.outcome ?? 'succeeded'",
  },
  {
    name: 'a poll that is answered late makes an operation count as gone',
    file: 'operations/wait-for-operations.ts',
    find: 'if (sentAfter - since < readLagMs) return;',
    replace: 'if (performance.now() - since < readLagMs) return;',
  },
  {
    name: 'an operation that one poll does not show counts as gone',
    file: 'operations/wait-for-operations.ts',
    find: 'if (sentAfter - since < readLagMs) return;',
    replace: '',
  },
  {
    name: 'an operation that the newest page does not show is not looked up',
    file: 'operations/operation-poller.ts',
    find: 'for (const [index, { id }] of missing.entries()) byId.set(id, found[index]);',
    replace: '',
  },
  {
    name: 'only the first page of operations is read',
    file: 'operations/operation-pages.ts',
    find: 'if (next === undefined) return;',
    replace: 'return;',
  },
  {
    name: "a check that the service starts counts as the update's",
    file: 'operations/wait-for-operations.ts',
    find: "if (action === 'check_availability') return false;",
    replace: '',
  },
  {
    name: 'one refused poll is final',
    file: 'operations/operation-poller.ts',
    find: 'const finalRefusals = 3;',
    replace: 'const finalRefusals = 1;',
  },
  {
    name: 'a 423 is final',
    file: 'operations/wait-for-unlock.ts',
    find: 'return error instanceof ControlApiError && error.isLocked;',
    replace: 'return false;',
  },
  {
    name: 'a write waits for the lock beyond its deadline',
    file: 'operations/wait-for-unlock.ts',
    find: 'if (this.#patienceMs === 0) throw new LockedError(refusal, this.#blocking, this.#write.deadline);',
    replace: '',
  },
  {
    name: 'reads that lag are believed at once',
    file: 'control-api/read-lag.ts',
    find: 'if (isSufficient(result) || isLast) return result;',
    replace: 'return result;',
  },
];
