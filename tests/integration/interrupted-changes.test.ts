import type { Fault } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { makePluginProviders, type PluginProvider } from '../../provider/src/plugin/plugin-provider';
import type { WrittenProperties } from '../../provider/src/plugin/properties';
import { PluginPartialStateError } from '../../provider/src/plugin/service-error';
import { silenceDiagnostics } from '../support/diagnostics';
import { errorOf } from '../support/failure';
import { lockPacing, pollPacing, retryPacing } from '../support/pacing';
import { ownEndpoints, type Service, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

const urn = 'urn:pulumi:test::shop::postgres-compute:index:ComputeEndpoint::api';
const read = (values: object) => ({ values: { ...values }, secretNames: [] });

function startPlugin({ emulator }: Service, signal?: AbortSignal): PluginProvider {
  const pacing = { pollPacing, lockPacing, retryPacing, readLagMs: 100, readSharingMs: 0 };
  const settings = { baseUrl: emulator.url, apiKey: emulator.apiKey };
  return makePluginProviders(settings, { ...pacing, environment: {}, signal }).endpoint;
}

/** Creates an endpoint, and changes it with a request whose response arrives too late for an interrupted update. */
async function interruptChange(service: Service, change: object, method: string, fault?: Fault) {
  const interruption = new AbortController();
  const plugin = startPlugin(service, interruption.signal);
  const { declare, emulator } = service;
  const { __urn, ...declared } = declare();
  const checked = await plugin.check(urn, read({}), read({ ...declared, restartTriggers: { release: 1 } }));
  const inputs = read(checked.values);
  const { id, values } = await plugin.create(urn, inputs, 0);
  emulator.inject({ match: { method }, effect: { kind: 'slow', delayMs: 2_000 } });
  const news = read({ ...inputs.values, ...change });
  if (fault) emulator.inject(fault);
  setTimeout(() => interruption.abort(), 200);
  const failure = await errorOf(plugin.update(id, { urn, inputs, outputs: read(values) }, news, 0));
  return { id, inputs, news, failure };
}

type Interrupted = Awaited<ReturnType<typeof interruptChange>>;

/** After a failed update the state has the old inputs, and the new outputs. */
function stateAfter({ inputs, failure }: Interrupted) {
  if (!(failure instanceof PluginPartialStateError)) throw failure;
  return { urn, inputs, outputs: read(failure.outputs.values) };
}

/** The update of the next `pulumi up`, in a new process. */
async function updateAgain(service: Service, interrupted: Interrupted): Promise<WrittenProperties> {
  const { id, news } = interrupted;
  return startPlugin(service).update(id, stateAfter(interrupted), news, 0);
}

/** A `pulumi refresh` before the next `pulumi up`. */
async function refreshAndUpdate(service: Service, interrupted: Interrupted): Promise<WrittenProperties> {
  const { id, news } = interrupted;
  const found = await startPlugin(service).read(id, stateAfter(interrupted));
  if (!found) throw new Error(`endpoint ${id} was not found`);
  const prior = { urn, inputs: read(found.inputs.values), outputs: read(found.outputs.values) };
  return startPlugin(service).update(id, prior, news, 0);
}

describe('an update that is interrupted before the response to its request arrives', () => {
  it('is resumed: the next update finds the operation that the request had started and that has failed since', async () => {
    const service = await startService();
    const { emulator } = service;
    const fails: Fault = { match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } };
    const interrupted = await interruptChange(service, { autoscalingLimitMaxCu: 2 }, 'PATCH', fails);
    const hasFailed = () => emulator.operations(service.project.id).some(({ status }) => status === 'failed');
    await until(hasFailed);
    await updateAgain(service, interrupted);
    expect(ownEndpoints(service)[0]).toMatchObject({ current_state: 'active', autoscaling_limit_max_cu: 2 });
  });

  const changes: [string, object | undefined][] = [
    ['a change', { release: 2 }],
    ['the removal', undefined],
  ];
  const resumptions = [
    ['the next update', updateAgain],
    ['an update after a refresh', refreshAndUpdate],
  ] as const;
  for (const [what, restartTriggers] of changes)
    it.each(resumptions)(
      `is resumed: %s starts the compute that ${what} of triggers had suspended`,
      async (_how, resume) => {
        const service = await startService();
        const interrupted = await interruptChange(service, { restartTriggers }, 'POST');
        await until(() => ownEndpoints(service)[0]?.current_state === 'idle');
        const { values } = await resume(service, interrupted);
        expect(ownEndpoints(service)[0]?.current_state).toBe('active');
        expect(service.emulator.connectionDrops(interrupted.id)).toBe(1);
        expect({ restartTriggers: undefined, ...values }).toMatchObject({ restartTriggers });
        expect(values).toHaveProperty('__ledger', { since: expect.any(String) });
      },
    );
});
