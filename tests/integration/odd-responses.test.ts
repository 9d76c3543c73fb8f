import type { RequestEffect } from 'postgres-control-emulator';
import { expect, it } from 'vitest';
import { create, larger, listOperations } from '../support/fault-rows';
import type { Row } from '../support/row';
import { checkRows } from '../support/run-row';
import { startProgram } from '../support/start-program';

/** What leaves open whether the request has taken effect. The meaning of each status: failure-meaning.test.ts. */
const lost: readonly RequestEffect[] = [
  { kind: 'lost-before-work' },
  { kind: 'lost-after-work' },
  { kind: 'status', status: 500, when: 'after-work' },
  { kind: 'proxy-page', status: 200, when: 'after-work' },
  { kind: 'proxy-page', status: 404, when: 'after-work' },
  { kind: 'proxy-page', status: 503 },
  { kind: 'proxy-page', status: 503, when: 'after-work' },
  { kind: 'malformed' },
  // Longer than the provider waits for a response.
  { kind: 'slow', delayMs: 40_000 },
];

/** What says that the request has not taken effect, and asks for patience. */
const busy: readonly RequestEffect[] = [
  { kind: 'status', status: 429 },
  { kind: 'status', status: 429, retryAfterSeconds: 1 },
  { kind: 'status', status: 429, retryAfterSeconds: 1, retryAfterFormat: 'http-date' },
  { kind: 'status', status: 503 },
];
const locked: RequestEffect = { kind: 'status', status: 423 };

const listEndpoints = { method: 'GET', path: '/projects/:p/endpoints' };

const toTitle = (effect: RequestEffect) => JSON.stringify(effect);

/** A life in which every write meets the effect. */
const writes = (effect: RequestEffect, type: 'read_write' | 'read_only', times: number): Row => ({
  title: `a ${type} life under ${times} times ${toTitle(effect)}`,
  rounds: [
    { program: { type }, faults: [{ match: create, times, effect }] },
    { program: { type, ...larger }, faults: [{ match: { method: 'PATCH' }, times, effect }] },
    { program: { type, ...larger } },
    { command: 'destroy', faults: [{ match: { method: 'DELETE' }, times, effect }] },
  ],
  // Of the change of size and of the delete.
  expect: { drops: 2, state: 'nothing' },
});

const reads = (effect: RequestEffect): Row => ({
  title: `a create succeeds although lists and polls meet ${toTitle(effect)}`,
  rounds: [
    {
      faults: [
        { match: listEndpoints, effect },
        { match: listOperations, effect },
      ],
    },
  ],
  expect: { drops: 0, requests: { 'POST endpoints': 1 } },
});

checkRows([
  ...lost.flatMap((effect) => [
    writes(effect, 'read_write', 1),
    writes(effect, 'read_only', 1),
    reads(effect),
  ]),
  ...[...busy, locked].map((effect) => writes(effect, 'read_write', 2)),
  ...busy.map(reads),
]);

it('a long pause after a 429 is shown', async () => {
  const { emulator, run, on, feature } = await startProgram();
  emulator.inject({ match: create, effect: { kind: 'status', status: 429, retryAfterSeconds: 20 } });
  await run.create('endpoint', 'api', on(feature));
  expect(run.shown).toContain('waiting for the service, which returned 429: 20 s');
});
