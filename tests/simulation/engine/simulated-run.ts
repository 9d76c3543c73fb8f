import type { Sender } from '../network/network';
import type { Journal } from '../run/journal';
import { trueTime } from '../time/virtual-time';

/** How a run is cut off. */
export interface Mishap {
  readonly kind: 'none' | 'kill of CLI and host' | 'kill of the CLI' | 'kill of the host' | 'Ctrl-C';
  /**
   * What is counted until it happens. Events: a request that is sent, answered or delivered, a step, or a write of the state.
   * Writes: a request that changes something is sent, or its response delivered.
   */
  readonly counts: 'events' | 'writes';
  readonly at: number;
  /** How long the host lives on after its CLI. Milliseconds. */
  readonly lingerMs: number;
}

export const noMishap: Mishap = { kind: 'none', counts: 'events', at: 0, lingerMs: 0 };

/** The two processes of one `pulumi` command: the CLI with the engine, and the host of the provider. */
export class SimulatedRun implements Sender {
  readonly name: string;
  /** Whether it is a preview or a refresh. */
  readonly isReading: boolean;
  /** Virtual time. */
  startedAt = 0;
  events = 0;
  #writes = 0;
  isCliAlive = true;
  isHostAlive = true;
  /** When the user has interrupted it. Virtual time. */
  interruptedAt: number | undefined;
  /** Whether the mishap has happened. */
  isCutOff = false;
  /** Called at each event, with its number. */
  onEvent: ((event: number) => void) | undefined;
  /** Called when the mishap happens. */
  onCutOff: ((kind: Mishap['kind']) => void) | undefined;
  readonly cliDied: Promise<void>;
  readonly hostDied: Promise<void>;
  #noteCliDied = () => {};
  #noteHostDied = () => {};
  readonly #mishap: Mishap;
  readonly #journal: Journal;

  constructor(name: string, isReading: boolean, mishap: Mishap, journal: Journal) {
    this.name = name;
    this.isReading = isReading;
    this.#mishap = mishap;
    this.#journal = journal;
    this.cliDied = new Promise((resolve) => {
      this.#noteCliDied = resolve;
    });
    this.hostDied = new Promise((resolve) => {
      this.#noteHostDied = resolve;
    });
  }

  /** Whether its host can send and receive. */
  get isAlive(): boolean {
    return this.isHostAlive;
  }

  get isInterrupted(): boolean {
    return this.interruptedAt !== undefined;
  }

  /** Whether it was killed, in whole or in part. */
  get isKilled(): boolean {
    return this.isCutOff && this.#mishap.kind !== 'Ctrl-C';
  }

  step(): void {
    this.events += 1;
    this.onEvent?.(this.events);
    if (this.#mishap.counts === 'events' && this.events === this.#mishap.at) this.#cutOff();
  }

  /** A request that changes something is sent, or its response is delivered. */
  write(): void {
    this.#writes += 1;
    if (this.#mishap.counts === 'writes' && this.#writes === this.#mishap.at) this.#cutOff();
  }

  /** The engine ends its plugins when a run ends. */
  end(): void {
    this.isHostAlive = false;
    this.#noteHostDied();
  }

  #cutOff(): void {
    const { kind, lingerMs } = this.#mishap;
    if (kind === 'none' || !this.isCliAlive || !this.isHostAlive) return;
    this.isCutOff = true;
    this.onCutOff?.(kind);
    this.#journal.note(
      this.name,
      () => `**** ${kind}${kind === 'kill of the CLI' ? `; its host lives on for ${lingerMs} ms` : ''}`,
    );
    if (kind === 'Ctrl-C') {
      this.#journal.count('interruptions');
      this.interruptedAt = trueTime();
      return;
    }
    if (kind === 'kill of CLI and host') this.#journal.count('kills of CLI and host');
    if (kind === 'kill of the CLI') this.#journal.count('kills of the CLI');
    if (kind === 'kill of the host') this.#journal.count('kills of the host');
    if (kind !== 'kill of the host') {
      this.isCliAlive = false;
      this.#noteCliDied();
    }
    if (kind === 'kill of the CLI') setTimeout(() => this.end(), lingerMs).unref();
    else this.end();
  }
}
