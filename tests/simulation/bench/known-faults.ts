import { changeFaults } from './known-faults/changes';
import { createFaults } from './known-faults/creates';
import { deleteFaults } from './known-faults/deletes';
import { lifecycleFaults } from './known-faults/lifecycle';
import { requestFaults } from './known-faults/requests';
import { resetFaults } from './known-faults/resets';
import { stateFaults } from './known-faults/states';
import { waitFaults } from './known-faults/waits';
import type { KnownFault } from './patched-source';

/** Faults that the provider once had, or could have. */
export const knownFaults: readonly KnownFault[] = [
  ...lifecycleFaults,
  ...createFaults,
  ...changeFaults,
  ...deleteFaults,
  ...stateFaults,
  ...waitFaults,
  ...requestFaults,
  ...resetFaults,
];
