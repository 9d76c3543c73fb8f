import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';
import { VirtualTimer } from './virtual-timer';

/** Where virtual time starts. */
const epochMs = Date.parse('2026-01-01T00:00:00Z');

/** What the clock of the service says, virtual or real. Somebody sets the clock of the users, which is `Date`. */
export function trueTime(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

interface DelayOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

/**
 * Time that passes only when nothing else is left to do: a wait of ten minutes takes no time. While it is installed, every
 * timer and every clock of this process is virtual. `@sinonjs/fake-timers` takes two and a half times as long for a timer or
 * a `new Date`, and does not tell which timers would keep a process from ending.
 */
export class VirtualTime {
  now = epochMs;
  /** How far the users' clock goes wrong. Milliseconds. */
  clockErrorMs = 0;
  /** The one that is due next comes last. */
  #timers: VirtualTimer[] = [];
  readonly #real: (() => void)[] = [];

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.now - epochMs;
  }

  /** The timers that keep a process of Node.js from ending. */
  get pending(): readonly VirtualTimer[] {
    return this.#timers.filter((timer) => timer.isPending && timer.hasRef());
  }

  /** Drops every timer and starts again. */
  reset(): void {
    this.now = epochMs;
    this.clockErrorMs = 0;
    this.#timers = [];
  }

  /**
   * Lets time pass until the condition holds. Returns whether it does: otherwise nothing is left that could make it hold,
   * or the time is up.
   */
  async passUntil(isOver: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const end = this.now + limitMs;
    for (;;) {
      await finishMicrotasks();
      if (isOver()) return true;
      if (!this.passNext(end)) return false;
    }
  }

  /** Fires the next timer. Returns whether there is one that is due by then. */
  passNext(end = Number.POSITIVE_INFINITY): boolean {
    const next = this.#takeNext(end);
    if (!next) return false;
    this.now = Math.max(this.now, next.at);
    next.fire();
    return true;
  }

  schedule(run: () => void, delayMs: number): VirtualTimer {
    const at = this.now + Math.max(0, Math.trunc(delayMs));
    const timer = new VirtualTimer(at, run);
    this.#push(timer);
    return timer;
  }

  install(): void {
    const set =
      (isRepeated: boolean) =>
      (run: (...values: unknown[]) => void, delayMs = 0, ...values: unknown[]) => {
        const timer = this.schedule(() => {
          if (isRepeated) this.#push(timer.restart(this.now + toDelay(delayMs)));
          run(...values);
        }, toDelay(delayMs));
        return timer;
      };
    const clear = (timer: VirtualTimer | undefined) => timer?.close();
    const time = this;
    class VirtualDate extends Date {
      constructor(...values: unknown[]) {
        // One of the many forms of the constructor, whichever the caller uses.
        super(...((values.length === 0 ? [VirtualDate.now()] : values) as [number]));
      }
      static override now(): number {
        return time.now + time.clockErrorMs;
      }
    }
    this.#replace(globalThis, 'setTimeout', set(false));
    this.#replace(globalThis, 'setInterval', set(true));
    this.#replace(globalThis, 'setImmediate', (run: () => void) => this.schedule(run, 0));
    for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate'])
      this.#replace(globalThis, name, clear);
    this.#replace(globalThis, 'Date', VirtualDate);
    this.#replace(performance, 'timeOrigin', epochMs);
    this.#replace(performance, 'now', () => this.elapsedMs);
    this.#replace(promises, 'setTimeout', (delayMs: number, value: unknown, options?: DelayOptions) =>
      this.#delay(delayMs, value, options),
    );
    syncBuiltinESMExports();
  }

  uninstall(): void {
    for (const restore of this.#real.splice(0)) restore();
    syncBuiltinESMExports();
  }

  #delay(delayMs: number, value: unknown, { signal, ref = true }: DelayOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = this.schedule(() => resolve(value), delayMs);
      if (!ref) timer.unref();
      signal?.addEventListener('abort', () => {
        timer.close();
        reject(signal.reason);
      });
    });
  }

  #replace(owner: object, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    this.#real.push(() => {
      if (before) Object.defineProperty(owner, name, before);
      else Reflect.deleteProperty(owner, name);
    });
  }

  /** After those that are due at the same time, as in Node.js. */
  #push(timer: VirtualTimer): void {
    const later = this.#timers.findLastIndex(({ at }) => at > timer.at);
    this.#timers.splice(later + 1, 0, timer);
  }

  #takeNext(end: number): VirtualTimer | undefined {
    for (let next = this.#timers.at(-1); next; next = this.#timers.at(-1)) {
      if (next.isPending && next.at > end) return undefined;
      this.#timers.pop();
      if (next.isPending) return next;
    }
    return undefined;
  }
}

/** Node.js rounds the delay of a timer down, to at least 1 ms. */
function toDelay(delayMs: number): number {
  return Math.max(1, Math.trunc(delayMs));
}

/** From within a microtask, Node.js runs a `nextTick` callback when no microtask is left. */
async function finishMicrotasks(): Promise<void> {
  await undefined;
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
}
