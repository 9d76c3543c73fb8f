import { expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { stateLabel, suspendLabel } from './endpoint-table';

it.each([
  [{ current_state: 'active' }, 'Active'],
  [{ current_state: 'idle' }, 'Idle'],
  [{ current_state: 'init', pending_state: 'active' }, 'Idle, soon Active'],
  [{ current_state: 'idle', pending_state: 'idle' }, 'Idle'],
  [{ current_state: 'idle', disabled: true }, 'Stopped'],
  [{ current_state: 'active', pending_state: 'idle', disabled: true }, 'Active, soon Stopped'],
  [{ current_state: 'hibernating' }, 'hibernating'],
])('labels an endpoint with %j as %s', (change, label) => {
  expect(stateLabel(endpointOf(change))).toBe(label);
});

it.each([
  [-1, 'never'],
  [0, 'after 300 s (default)'],
  [600, 'after 600 s'],
  [undefined, undefined],
])('labels an autosuspend delay of %s as %s', (seconds, label) => {
  expect(suspendLabel(seconds)).toBe(label);
});
