import type { EmulatorOptions } from 'postgres-control-emulator';
import { AgreementGround, type Controls, type Registration } from './agreement-ground';
import type { AgreementScenario, AgreementStep, Program } from './agreement-scenario';
import { type RecordedStep, type StepTranscript, Transcriber } from './transcript';

/** Both sides have the same service. */
export function serviceOptions({ service }: AgreementScenario): EmulatorOptions {
  return { operationMs: 100, ...service };
}

/** Runs the command of a step, with a program that registers these resources. */
export type RunStep = (
  step: AgreementStep,
  registrations: readonly Registration[],
  urnOf: (name: string) => string,
) => Promise<RecordedStep>;

/** Runs the steps of a scenario one after another, with either engine. */
export async function runSteps(
  scenario: AgreementScenario,
  controls: Controls,
  runStep: RunStep,
): Promise<StepTranscript[]> {
  const ground = new AgreementGround(controls, scenario);
  const transcriber = new Transcriber(ground.idNames);
  const transcripts: StepTranscript[] = [];
  let program: Program = {};
  for (const step of scenario.steps) {
    program = step.program ?? program;
    const faults = ground.prepare(step);
    const recorded = await runStep(step, ground.register(program), (name) => ground.urnOf(name));
    ground.noteState(recorded);
    transcripts.push(transcriber.transcribe(recorded));
    await ground.calm(faults);
  }
  return transcripts;
}
