import { Network } from '../network/network';
import { RuleBook } from '../rules/rule-book';
import { describeViolation, type Violation } from '../rules/rules';
import type { Scenario } from '../scenario/scenario';
import { SimulatedService } from '../service/simulated-service';
import { Randomness, SeededRandomness } from '../time/seeded-randomness';
import { VirtualTime } from '../time/virtual-time';
import { runRounds } from '../user/rounds';
import { SimulatedWorld } from '../user/simulated-world';
import { apiKey } from '../user/world';
import type { UserSchedule } from '../user-steps/user-schedule';
import { runUserSteps } from '../user-steps/user-steps';
import { Journal } from './journal';

/** The outcome of one schedule. */
export interface Outcome {
  readonly violations: readonly Violation[];
  readonly counts: ReadonlyMap<string, number>;
  /** Who did what at which virtual time; empty unless it was asked for. */
  readonly story: readonly string[];
}

/** No schedule takes longer than this, in virtual time. Milliseconds. */
const longestMs = 24 * 3_600_000;
/** What is left at the end has to finish by itself in this time: the longest time-out of a request and of a pause. Milliseconds. */
const restMs = 120_000;

/** Runs schedules in this process. While it is installed, time, randomness and HTTP are simulated. */
export class Simulator {
  readonly #time = new VirtualTime();
  readonly #randomness = new SeededRandomness();
  readonly #network = new Network();
  #restore = () => {};
  /** Of the schedule that runs. */
  #violations: Violation[] = [];
  readonly #noteBroken = (error: unknown) => {
    const what = error instanceof Error ? String(error.stack) : String(error);
    this.#violations.push({ rule: 'the simulation works', what });
  };

  install(): void {
    this.#time.install();
    this.#randomness.install();
    this.#restore = this.#network.install();
    // The other schedules still run.
    process.on('unhandledRejection', this.#noteBroken);
  }

  uninstall(): void {
    process.off('unhandledRejection', this.#noteBroken);
    this.#restore();
    this.#randomness.uninstall();
    this.#time.uninstall();
  }

  /** @param isTold whether to write the story */
  async run(scenario: Scenario, isTold = false): Promise<Outcome> {
    const { journal, randomness } = this.#begin(scenario.seed, isTold);
    const service = new SimulatedService({ ...scenario.service, apiKey });
    const parts = { scenario, time: this.#time, randomness, network: this.#network, service, journal };
    const world = new SimulatedWorld(parts);
    const { book } = world;
    if (scenario.rounds.some(({ branches }) => branches.length > 0)) journal.count('schedules with branches');
    await this.#finish(runRounds(world), book.violations);
    if (book.violations.length === 0 && !world.hasKilled) await this.#checkRest(world);
    service.stop();
    return conclude(journal, book.violations);
  }

  /** Runs the steps of an ordinary user. */
  async runUser(schedule: UserSchedule, isTold = false): Promise<Outcome> {
    const { journal } = this.#begin(schedule.seed, isTold);
    const book = new RuleBook(journal);
    const parts = { schedule, network: this.#network, journal, book };
    await this.#finish(runUserSteps(parts), book.violations);
    return conclude(journal, book.violations);
  }

  #begin(seed: number, isTold: boolean) {
    this.#time.reset();
    const randomness = new Randomness(seed);
    this.#randomness.source = randomness;
    return { randomness, journal: new Journal(() => this.#time.elapsedMs, isTold) };
  }

  /** Lets time pass until the work is done. */
  async #finish(work: Promise<void>, violations: Violation[]): Promise<void> {
    this.#violations = violations;
    let isOver = false;
    const finished = work.catch(this.#noteBroken).finally(() => {
      isOver = true;
    });
    const hasEnded = await this.#time.passUntil(() => isOver, longestMs);
    if (hasEnded) await finished;
    else violations.push({ rule: 'calls end in time', what: 'the run neither ends nor waits for anything' });
  }

  /** Checks that nothing keeps running. The timers of killed processes do, without effect. */
  async #checkRest({ book }: SimulatedWorld): Promise<void> {
    const isQuiet = () => this.#time.pending.length === 0 && this.#network.underWay.size === 0;
    const hasEnded = await this.#time.passUntil(isQuiet, restMs);
    book.check('nothing keeps running', hasEnded, () => {
      const left = `${this.#time.pending.length} timers and ${this.#network.underWay.size} requests`;
      return `${left} are left ${restMs} ms after the end`;
    });
  }
}

function conclude(journal: Journal, violations: readonly Violation[]): Outcome {
  for (const violation of violations) journal.note('VIOLATION', () => describeViolation(violation));
  return { violations, counts: journal.counts, story: journal.story };
}
