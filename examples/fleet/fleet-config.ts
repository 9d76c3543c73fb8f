import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { isOpen, nextOpening } from './restart-window';

const restartWindow = z
  .strictObject({
    schedule: z.string(),
    timeZone: z.string().default('UTC'),
    durationMinutes: z.number().positive(),
  })
  .superRefine((window, { addIssue }) => {
    try {
      const now = new Date();
      if (!isOpen(window, now) && !nextOpening(window, now)) addIssue('the window never opens');
    } catch (error) {
      addIssue(error instanceof Error ? error.message : String(error));
    }
  });

const fleet = z
  .strictObject({
    waves: z.array(z.array(z.string().min(1)).min(1)).min(1),
    concurrency: z.int().min(1).default(1),
    target: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    restartWindow: restartWindow.optional(),
  })
  .refine(({ waves }) => new Set(waves.flat()).size === waves.flat().length, {
    path: ['waves'],
    message: 'a stack is listed twice',
  });

/** What `fleet.yaml` declares. */
export type Fleet = z.infer<typeof fleet>;

/** @throws Error that names each wrong property, its value's problem and the file */
export function readFleet(file: string): Fleet {
  const { data, error } = fleet.safeParse(load(readFileSync(file, 'utf8')));
  if (error) throw new Error(`${file}:\n${z.prettifyError(error)}`);
  return data;
}
