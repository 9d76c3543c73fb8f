import type { Share } from './simulate-in-parallel';
import { simulateShare } from './simulate-seeds';

// A process of simulate-in-parallel.ts.

const [share = '{}'] = process.argv.slice(2);
void simulateShare(JSON.parse(share) as Share).then((result) =>
  process.send?.(result, () => process.exit(0)),
);
