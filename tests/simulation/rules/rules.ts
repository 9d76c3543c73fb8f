/**
 * What must hold in every schedule, and how often 1,000 schedules have to apply each rule at least: a rule that nothing applies
 * checks nothing.
 */
export const rules = {
  'one for each resource': 800,
  'everything is as declared': 1_000,
  'no false success': 300,
  'no id is lost': 1_200,
  'what others have is untouched': 2_000,
  'what is in use is not deleted': 150,
  'nothing is replaced without a reason': 30,
  'restarts are declared': 500,
  'a declared restart happens': 30,
  'the compute starts again': 300,
  'an idle compute stays idle': 50,
  'secrets stay secret': 50_000,
  'the rate limit holds': 300,
  'Retry-After is respected': 200,
  'an interrupted run sends nothing': 30,
  'a preview foretells what drops connections': 120,
  'a preview changes nothing': 400,
  'a preview without changes sends nothing': 500,
  'only changes are sent': 200,
  'nothing is created twice': 300,
  'a refresh finds only drift': 30,
  'allowRestart is respected': 10,
  'a reset is permitted': 20,
  'a reset happens once': 1,
  'a declared reset happens': 20,
  'no false failure': 300,
  'calls end in time': 7_000,
  'the next run succeeds': 500,
  'the next preview is empty': 600,
  'nothing keeps running': 300,
} as const satisfies Record<string, number>;

/** The same for what users read and lose, in 1,000 schedules of their steps. */
export const userRules = {
  'nothing is deleted unnamed': 500,
  'a delete yields to its adopter': 8,
  'no branch is deleted from under an endpoint': 10,
  'a guard that others set is respected': 15,
  'a preview foretells what can not be done': 80,
  'a preview says what adopt does': 10,
  'advice can be followed': 130,
  'reverting heals': 300,
} as const satisfies Record<string, number>;

export type Rule = keyof typeof rules | keyof typeof userRules | 'the simulation works';

/** A rule that a schedule broke, and how. */
export interface Violation {
  readonly rule: Rule;
  readonly what: string;
}

export function describeViolation({ rule, what }: Violation): string {
  return `${rule}: ${what}`;
}

/** Where a rule allows more than it says. */
interface ExcuseRow {
  readonly rule: Rule;
  /** When it applies. */
  readonly when: string;
  /** What the rule allows then. */
  readonly effect: string;
}

/** Every excuse of `rules`. Each use is counted. What `userRules` allow: `user-steps/`, such as `mayDelete` in `loss-rules.ts`. */
export const excuses = {
  'a run broke off': {
    rule: 'restarts are declared',
    when: 'a run failed or was cut off since the last repair',
    effect: 'the next one may repeat one restart',
  },
  'a restart was lost': {
    rule: 'the compute starts again',
    when: 'a run broke off that restarted for a trigger, of which the service knows nothing; or a refresh or a forced replacement came after it',
    effect: 'not checked: the user finds the compute idle, and a connection starts it',
  },
  'a refresh hid it': {
    rule: 'a declared restart happens',
    when: 'a run was cut off and a refresh stored what it had set, or a forced replacement kept the endpoint',
    effect: 'the next run sees no change',
  },
  'the state lacks the start': {
    rule: 'an idle compute stays idle',
    when: 'a run broke off since the last repair, and its start had failed',
    effect: 'the next run starts the compute',
  },
  'it was down, or about to be': {
    rule: 'a preview foretells what drops connections',
    when: 'a suspension that was under way when the run planned has failed, or a connection has started the compute since',
    effect: 'the repetition needs no warning',
  },
  'looked before a pause': {
    rule: 'nothing is created twice',
    when: 'two processes created at once, or a 429 has delayed the create since it looked',
    effect: 'a second replica, which the next preview reports',
  },
  'nobody heard of it': {
    rule: 'no false success',
    when: 'a dead process, or a connection, has started the operation',
    effect: 'it may fail',
  },
  'given away': {
    rule: 'secrets stay secret',
    when: 'a run was killed after the service had stored a secret, and a refresh reads it',
    effect: 'the state has it in plain text: it does not mark the value',
  },
  'reset by a dead process': {
    rule: 'a reset happens once',
    when: 'a reset arrived twice, or after its process had died, or one of the next run came first',
    effect: 'a second reset',
  },
  'made by a dead process': {
    rule: 'one for each resource',
    when: 'a create arrived twice or after its process had died, or the resource has been given its name since',
    effect: 'the user deletes the replica that preview and `up` report',
  },
} as const satisfies Record<string, ExcuseRow>;

export type Excuse = keyof typeof excuses;
