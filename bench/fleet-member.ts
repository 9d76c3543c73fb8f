import { RateLimiter } from '../provider/src/control-api/rate-limiter';
import { type Address, clientOf } from './compared-clients';
import { runInTurn } from './metered-emulator';

/** The provider's own limiter, or none. */
export type LimiterName = 'ours' | 'none';

/** What one process of a fleet does. */
export interface FleetMember extends Address {
  readonly projectId: string;
  readonly branchId: string;
  readonly count: number;
  readonly atATime: number;
  readonly limiter: LimiterName;
}

if (process.send) {
  // The parent has written it.
  const member = JSON.parse(process.argv[2] ?? '') as FleetMember;
  process.send('ready');
  process.once('message', () => {
    void createAll(member).then((ms) => {
      process.send?.({ ms });
      process.disconnect();
    });
  });
}

async function createAll({ projectId, branchId, count, atATime, limiter, ...address }: FleetMember) {
  if (limiter === 'none') {
    RateLimiter.prototype.send = (_limited, request) => request();
    RateLimiter.prototype.backOff = () => undefined;
  }
  const create = clientOf('ours', address);
  const startedAt = Date.now();
  await runInTurn(count, atATime, (index) => create(projectId, branchId, `replica-${index}`));
  return Date.now() - startedAt;
}
