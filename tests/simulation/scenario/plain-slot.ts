/** An endpoint that says no more than it has to: what a regression starts from. */
export const plainSlot = {
  isDeclared: true,
  project: 0,
  branch: 0,
  type: 'read_write',
  size: [0.25, 1],
  suspendTimeoutSeconds: 0,
  workMem: undefined,
  application: undefined,
  trigger: undefined,
  name: undefined,
  isWaiting: true,
  isStopped: false,
  createsBeforeDelete: false,
} as const;
