import { join } from 'node:path';
import type { Figure } from './figure';
import { measureBusyBranch } from './figures/busy-branch';
import { measureDetectionLag } from './figures/detection-lag';
import { measureEngineCost, measureSnapshots } from './figures/engine-cost';
import { measureFleet } from './figures/fleet';
import { measureLockedProject, measureRequestRate, measureSideBySide } from './figures/many-creates';
import { measureOneCreate } from './figures/one-create';
import { measurePostgres } from './figures/postgres-endpoints';
import { measureScale } from './figures/scale';
import { measureStackLimit } from './figures/stack-limit';

/** Figures that are measured together: a section of the page. */
export interface Group {
  readonly title: string;
  /** `isQuick` makes the numbers smaller, so that their targets mean nothing. */
  readonly measure: (isQuick: boolean) => Promise<Figure[]>;
}

export const docs = join(__dirname, '..', 'docs');

/** In the order of the page. */
export const groups: Readonly<Record<string, Group>> = {
  engine: {
    title: 'What the provider adds to the engine, without snapshots',
    measure: (isQuick) => measureEngineCost(isQuick ? [50] : [200, 1_000]),
  },
  lag: {
    title: 'How late the end of an operation is noticed',
    measure: (isQuick) => measureDetectionLag(isQuick ? [300, 1_000] : [300, 1_000, 3_000, 10_000, 30_000]),
  },
  create: { title: 'One create', measure: measureOneCreate },
  'side-by-side': {
    title: 'Many creates, side by side',
    measure: (isQuick) => measureSideBySide(isQuick ? 20 : 200),
  },
  locked: {
    title: 'Many creates in a project that locks',
    measure: (isQuick) => measureLockedProject(isQuick ? 4 : 20),
  },
  scale: {
    title: 'Many creates, by their number',
    measure: (isQuick) =>
      isQuick
        ? measureScale([1, 10, 30], join(docs, '..', '.reports', 'bench'))
        : measureScale([1, 10, 100, 300, 1_000], docs),
  },
  fleet: {
    title: 'Several processes on one account',
    measure: (isQuick) => measureFleet(isQuick ? [1, 2] : [1, 2, 5, 10], isQuick ? 10 : 100),
  },
  rate: {
    title: 'The limit of an account',
    measure: (isQuick) => measureRequestRate(isQuick ? 100 : 1_000),
  },
  'stack-limit': {
    title: 'Large stacks, with snapshots in a folder',
    measure: (isQuick) => measureStackLimit(isQuick ? [10] : [1_000, 3_000, 10_000]),
  },
  snapshots: {
    title: 'What snapshots of the whole state cost',
    measure: (isQuick) => measureSnapshots(isQuick ? 20 : 200),
  },
  postgres: {
    title: "The emulator's Postgres",
    measure: (isQuick) => measurePostgres(isQuick ? 500 : 5_000),
  },
  'busy-branch': {
    title: 'A busy branch of the emulator',
    measure: (isQuick) => measureBusyBranch(isQuick ? 1 : 5),
  },
};
