import { z } from 'zod';
import { attributes, flag, text } from '../validation/schemas';

const MOST_ANNOTATIONS = 50;

export const textMap = z.record(z.string(), text, 'an object whose values are strings');

export const annotations = textMap.refine(
  (map) => Object.keys(map).length <= MOST_ANNOTATIONS,
  `an object of at most ${MOST_ANNOTATIONS} string values`,
);

/** Stored as requested, with attributes that the API does not describe. */
export const preloadLibraries = attributes({
  use_defaults: flag,
  enabled_libraries: z.array(text, 'a list of strings'),
}).loose();
