import { expect, it } from 'vitest';
import { requireOneBranch } from './connection-resources';

it('a connection of resources needs one branch', () => {
  expect(() => requireOneBranch(['br-1', 'br-1', 'br-1'])).not.toThrow();
  expect(() => requireOneBranch(['br-1', 'br-1', 'br-2'])).toThrow('the endpoint on br-2: give three of one');
});

it('their failure has no stack, which Pulumi would inspect', () => {
  const fails = () => requireOneBranch(['br-1', 'br-2', 'br-1']);
  expect(fails).toThrow(expect.objectContaining({ stack: undefined }));
});
