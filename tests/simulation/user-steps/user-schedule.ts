import type { EmulatorOptions } from 'postgres-control-emulator';
import type { AgreementStep, Intrusion, Program } from '../engine/agreement/agreement-scenario';
import type { Mishap } from '../engine/simulated-run';

// What ordinary users do with a program: they rename, move and remove resources, choose some of them for a command, and revert
// what has failed. A schedule is data, as those of agreement are, so the real CLI can run it as well.

/** A program, and the command that applies it. Without a preview, it is `up --skip-preview`. */
export interface UserStep extends AgreementStep {
  readonly program: Program;
  readonly command: 'up' | 'up --refresh' | 'destroy';
  readonly skipsPreview?: boolean;
  /** What others do between the preview and the command; `intrusions` come before the preview. */
  readonly between?: readonly Intrusion[];
  readonly mishap?: Mishap;
  /** Whether the user repeats what has failed or was cut off, and reverts it only if that fails, too. */
  readonly isRepeated?: boolean;
}

export interface UserSchedule {
  /** Decides what the data leave open: delays, ids and jitter. */
  readonly seed: number;
  readonly service: EmulatorOptions;
  readonly longestDelayMs: number;
  /** The setting `allowRestart` of the stack. */
  readonly allowsRestart: boolean;
  /** The first step creates what the others change. */
  readonly steps: readonly UserStep[];
}
