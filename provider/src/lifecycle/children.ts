import { filter, map } from 'lodash';
import { joinFirst } from '../control-api/printable';
import type { Branch } from '../control-api/wire-types';

/** How many children a message lists. */
const mostChildren = 20;

/** The ids of the branches that were created from this one. */
export function childIds(branches: readonly Branch[], id: string): string[] {
  return map(filter(branches, { parent_id: id }), 'id');
}

/** The children of a branch in a message. */
export function listChildren(ids: readonly string[]): string {
  return joinFirst(ids, mostChildren, 'more');
}
