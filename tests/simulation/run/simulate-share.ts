import { simulateShare } from './simulate-seeds';
import type { Share } from './simulating-process';

// What runShare starts.

const [share = '{}'] = process.argv.slice(2);
void simulateShare(JSON.parse(share) as Share).then((result) =>
  process.send?.(result, () => process.exit(0)),
);
