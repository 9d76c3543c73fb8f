import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectedFault } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { type Carrier, Network } from '../simulation/network/network';
import { Randomness, SeededRandomness } from '../simulation/time/seeded-randomness';
import { VirtualTime } from '../simulation/time/virtual-time';

const nextTurn = setImmediate;

/** In what a test runs, from its first call of `enterVirtualWorld` to its end. */
export interface VirtualWorld {
  readonly network: Network;
  /** The faults that the test has injected. One that never fires fails the test. */
  readonly faults: Set<InjectedFault>;
}

let current: VirtualWorld | undefined;

/**
 * From now on the test runs in virtual time and without sockets: time passes as soon as nothing else is left to do, and every
 * source of randomness is seeded.
 * @param carrier brings the requests to the service
 */
export function enterVirtualWorld(carrier: Carrier): VirtualWorld {
  if (current) return current;
  const [time, randomness, network] = [new VirtualTime(), new SeededRandomness(), new Network()];
  randomness.source = new Randomness(1);
  time.install();
  randomness.install();
  network.reset(carrier);
  const removeNetwork = network.install();
  const stop = keepPassing(time);
  const world = { network, faults: new Set<InjectedFault>() };
  current = world;
  onTestFinished(({ task }) => {
    stop();
    removeNetwork();
    randomness.uninstall();
    time.uninstall();
    current = undefined;
    // A test that has failed already says more.
    if (task.result?.state !== 'fail') checkFaults(world);
  });
  return world;
}

/** Without a timer the test itself goes on, or else it never ends. */
function keepPassing(time: VirtualTime): () => void {
  let isOver = false;
  const pass = () => {
    if (isOver) return;
    time.passNext();
    nextTurn(pass);
  };
  nextTurn(pass);
  return () => {
    isOver = true;
  };
}

/** @throws Error if a fault has not fired: then the test shows nothing about it */
function checkFaults({ faults }: VirtualWorld): void {
  const unused = [...faults].filter(({ hits }) => hits === 0);
  if (unused.length === 0) return;
  throw new Error(`These faults never fired: ${JSON.stringify(unused.map(({ fault }) => fault))}`);
}

const longestMs = 3_600_000;

/** Lets virtual time pass until the condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!holds()) {
    if (performance.now() - startedAt > longestMs) throw new Error(`This never came to hold: ${holds}`);
    await sleep(1);
  }
}
