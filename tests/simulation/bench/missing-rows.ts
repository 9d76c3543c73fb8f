import { table } from '../../../provider/src/lifecycle/table';
import type { KnownFault } from './patched-source';

/** One fault for each row of the lifecycle's table: the table without that row. The last row always fits, so it is left in. */
export const missingRows: readonly KnownFault[] = table.slice(0, -1).map(({ step }) => ({
  name: `without ${step}`,
  file: 'lifecycle/table.ts',
  find: '({ when }) => when(situation)',
  replace: `({ step, when }) => step !== '${step}' && when(situation)`,
}));
