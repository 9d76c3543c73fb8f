import { describe, expect, it, vi } from 'vitest';
import { runCreate, runUpdate } from './engine';
import { startService, urnOf } from './start-service';
import { startProxy } from './attack-proxy';
vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
const own = ({ emulator, branch }: any) => emulator.endpoints().filter((e: any) => e.branch_id === branch.id);

/** A process that is killed at its n-th request: before it arrives, or after the work; later requests never go out. */
async function killedAt(s: any, n: number, when: 'before' | 'after', work: (provider: any) => Promise<any>) {
  let count = 0; let hit = false;
  const proxy = await startProxy(s.emulator.url, (x) => { if (count >= n) { hit = true; return { ...x, status: 502, headers: {}, body: undefined }; } }, (m, p) => {
    count += 1;
    if (count > n || (count === n && when === 'before')) { hit = true; return { method: m, path: p, status: 401, headers: {}, body: { code: 'K', message: 'killed' } }; }
    return undefined;
  });
  const abandoned = work(s.startProvider({ POSTGRES_COMPUTE_BASE_URL: proxy.url })).catch((e: any) => e);
  await abandoned; // its result is thrown away
  return hit;
}

describe('kill matrix create', () => {
  const cases: any[] = [];
  for (const type of ['read_write', 'read_only']) for (const name of [undefined, 'api']) for (const late of [0, 150]) for (const when of ['before', 'after']) cases.push([type, name, late, when]);
  it.each(cases)('%s name=%s late=%s %s', async (type, name, late, when) => {
    for (let n = 1; n < 14; n += 1) {
      const s = await startService({ operationMs: 15, graceMs: 400, lateListsMs: late, lateGetsMs: late });
      const inputs = s.declare({ type, ...(name && { name }), __urn: urnOf('api') } as any);
      const hit = await killedAt(s, n, when, async (p) => runCreate(p, inputs));
      const again: any = await runCreate(s.startProvider(), inputs).catch((e) => e);
      const alive = own(s);
      if (!hit) break;
      const ok = again instanceof Error ? alive.length === 1 && /adopt: true/.test(again.message) : alive.length === 1 && alive[0].id === again.id && alive[0].current_state === 'active' && alive[0].name === inputs.name || (alive.length === 1 && !name);
      if (!ok) console.log('KC', type, name, late, when, n, again.message ?? again.id, alive.map((e: any) => [e.id, e.name, e.current_state]));
      expect.soft(ok, `${n}`).toBe(true);
    }
  });
});
describe('kill matrix update size+trigger', () => {
  it.each([[0, 'before'], [0, 'after'], [150, 'before'], [150, 'after']] as any[])('late=%s %s', async (late, when) => {
    for (let n = 1; n < 14; n += 1) {
      const s = await startService({ operationMs: 15, graceMs: 400, lateListsMs: late, lateGetsMs: late });
      const st = await runCreate(s.startProvider(), s.declare({ restartTriggers: { r: '1' } }));
      const wanted = s.declare({ restartTriggers: { r: '2' }, suspendTimeoutSeconds: 900 });
      const hit = await killedAt(s, n, when, async (p) => runUpdate(p, st, wanted));
      await new Promise((r) => setTimeout(r, late + 60));
      const again: any = await runUpdate(s.startProvider(), st, wanted).catch((e) => e);
      if (!hit) break;
      const drops = s.emulator.connectionDrops(st.id);
      console.log('KU', late, when, n, again.message ?? 'ok', drops, own(s)[0].current_state);
      expect.soft(again).not.toBeInstanceOf(Error);
    }
  });
});
describe('unsettled update chain', () => {
  it.each([0, 150])('every write refused once with its state kept, restarts once: late %s', async (late) => {
    for (let n = 1; n < 12; n += 1) {
      const s = await startService({ operationMs: 15, graceMs: 400, lateListsMs: late, lateGetsMs: late });
      const st = await runCreate(s.startProvider(), s.declare({ restartTriggers: { r: '1' } }));
      const wanted = s.declare({ restartTriggers: { r: '2' }, autoscalingLimitMaxCu: 2 });
      let count = 0; let hit = false;
      const proxy = await startProxy(s.emulator.url, (x) => { if (count === n) { hit = true; return { ...x, status: 403, headers: {}, body: { code: 'X', message: 'no' } }; } }, () => { count += 1; return undefined; });
      const first: any = await runUpdate(s.startProvider({ POSTGRES_COMPUTE_BASE_URL: proxy.url }), st, wanted).catch((e) => e);
      if (!hit) break;
      const outs = first instanceof Error ? (first as any).properties ?? st.outs : first.outs;
      const kept = (first as any).properties !== undefined || !(first instanceof Error);
      const inputs: any = kept ? (await s.startProvider().check({ ...st.inputs }, { ...wanted })).inputs : st.inputs;
      const again: any = await runUpdate(s.startProvider(), { id: st.id, inputs, outs }, wanted).catch((e) => e);
      const drops = s.emulator.connectionDrops(st.id);
      console.log('KV', late, n, first.message?.slice(0, 60) ?? 'ok', '|', again.message ?? 'ok', drops, own(s)[0].current_state);
      expect.soft(drops, `n=${n}`).toBe(1);
    }
  });
});
