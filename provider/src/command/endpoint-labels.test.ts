import { expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { stateWord, suspendWord } from './endpoint-labels';

it.each([
  [{ current_state: 'active' }, 'Active'],
  [{ current_state: 'idle' }, 'Idle'],
  [{ current_state: 'init', pending_state: 'active' }, 'Idle, soon Active'],
  [{ current_state: 'idle', pending_state: 'idle' }, 'Idle'],
  [{ current_state: 'idle', disabled: true }, 'Stopped'],
  [{ current_state: 'active', pending_state: 'idle', disabled: true }, 'Active, soon Stopped'],
  [{ current_state: 'hibernating' }, 'hibernating'],
])('%j is %s', (change, word) => {
  expect(stateWord(endpointOf(change))).toBe(word);
});

it.each([
  [-1, 'never'],
  [0, 'after the default (300 s)'],
  [600, 'after 600 s'],
  [undefined, undefined],
])('a delay of %s reads %s', (seconds, word) => {
  expect(suspendWord(seconds)).toBe(word);
});
