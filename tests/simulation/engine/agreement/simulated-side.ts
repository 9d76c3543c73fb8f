import { mapValues } from 'lodash';
import { type Carrier, Network } from '../../network/network';
import { Journal } from '../../run/journal';
import { SimulatedService } from '../../service/simulated-service';
import { Randomness, SeededRandomness } from '../../time/seeded-randomness';
import { VirtualTime } from '../../time/virtual-time';
import { unwrapSecrets } from '../../user/program';
import type { Engine } from '../engine';
import type { EngineOptions } from '../engine-steps';
import { noMishap, SimulatedRun } from '../simulated-run';
import { type DeclaredResource, Stack } from '../stack';
import { startEngine } from '../start-engine';
import type { Registration } from './agreement-ground';
import type { AgreementScenario, AgreementStep } from './agreement-scenario';
import { type RecordedCall, recordCalls } from './record-calls';
import { runSteps, serviceOptions } from './run-steps';
import { type RecordedStep, type StepTranscript, stackName, urnOf as toUrn } from './transcript';

const apiKey = 'key';
const randomness = new Randomness(1);
const ignore = () => undefined;

/** Runs a scenario through the simulated engine. Until it has ended, this process is in virtual time. */
export async function runSimulated(scenario: AgreementScenario): Promise<StepTranscript[]> {
  const time = new VirtualTime();
  const seeded = new SeededRandomness();
  const network = new Network();
  time.install();
  seeded.install();
  seeded.source = randomness;
  const restoreNetwork = network.install();
  const service = new SimulatedService({ ...serviceOptions(scenario), apiKey });
  network.reset(carryTo(service));
  const stack = new Stack(stackName);
  let isOver = false;
  const work = runSteps(scenario, service.controls, (step, registrations, urnOf) =>
    runStep(stack, network, step, registrations, urnOf),
  );
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  try {
    if (!(await time.passUntil(() => isOver))) throw new Error('the scenario neither ends nor waits');
    return await work;
  } finally {
    service.stop();
    restoreNetwork();
    seeded.uninstall();
    time.uninstall();
  }
}

async function runStep(
  stack: Stack,
  network: Network,
  step: AgreementStep,
  registrations: readonly Registration[],
  urnOf: (name: string) => string,
): Promise<RecordedStep> {
  const { command } = step;
  for (const name of step.taint ?? []) await stack.taint(urnOf(name));
  const calls: RecordedCall[] = [];
  const stopRecording = recordCalls((call) => calls.push(structuredClone(call)));
  const journal = new Journal(() => 0, false);
  const run = new SimulatedRun(command, command.startsWith('preview'), noMishap, journal);
  const engine = startEngine({
    stack,
    run,
    network,
    settings: { apiKey },
    options: {
      isPreview: command.startsWith('preview'),
      refreshesFirst: command.endsWith('--refresh'),
      ...toScope(step, urnOf),
    },
    journal,
    witness: {},
  });
  const { isSuccess } = await runCommand(
    engine,
    command,
    registrations.map((each) => toDeclared(each, urnOf)),
  );
  stopRecording();
  return { isSuccess, calls, ...stack.state };
}

function runCommand(engine: Engine, command: AgreementStep['command'], program: readonly DeclaredResource[]) {
  if (command === 'refresh') return engine.refresh();
  return command.startsWith('destroy') ? engine.destroy() : engine.update(program);
}

/** The options of a command that name resources. */
export function toScope(
  { replace = [], targetReplace = [], target = [], exclude = [], continuesOnError = false }: AgreementStep,
  urnOf: (name: string) => string,
): EngineOptions {
  const targets = [...target, ...targetReplace];
  return {
    replaceTargets: new Set([...replace, ...targetReplace].map(urnOf)),
    ...(targets.length > 0 && { targets: new Set(targets.map(urnOf)) }),
    excludes: new Set(exclude.map(urnOf)),
    continuesOnError,
  };
}

export function toDeclared(registration: Registration, urnOf: (name: string) => string): DeclaredResource {
  const { name, type, args, references, aliases, dependsOn, createsBeforeDelete, ...options } = registration;
  return {
    ...options,
    urn: urnOf(name),
    inputs: unwrapSecrets(args),
    deletesFirst: !createsBeforeDelete,
    references: mapValues(references, ({ of, output }) => ({ urn: urnOf(of), output })),
    dependsOn: dependsOn.map(urnOf),
    aliases: aliases.map((alias) => toUrn(alias, type)),
  };
}

/** A network without delays and faults of its own. */
function carryTo(service: SimulatedService): Carrier {
  return {
    randomness,
    carry: () => ({ outwardMs: 0, returnMs: 0, isDuplicated: false }),
    sent: ignore,
    arrive: (_sender, request, { headers }) => service.serve(request, headers.get('Authorization')),
    delivered: ignore,
  };
}
