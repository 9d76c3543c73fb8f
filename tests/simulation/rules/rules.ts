/** What must hold in every schedule. */
export type Rule =
  | 'one endpoint for each resource'
  | 'the endpoint is as declared'
  | 'no false success'
  | 'no id is lost'
  | 'one branch for each resource'
  | 'the branch is as declared'
  | 'a branch in use is not deleted'
  | 'branches of other clients are untouched'
  | 'endpoints of other clients are untouched'
  | 'an endpoint in use is not deleted'
  | 'nothing is replaced without a reason'
  | 'restarts are declared'
  | 'a declared restart happens'
  | 'the compute starts again'
  | 'an idle compute stays idle'
  | 'secrets stay secret'
  | 'the rate limit holds'
  | 'Retry-After is respected'
  | 'an interrupted run sends nothing'
  | 'a preview foretells what drops connections'
  | 'a preview changes nothing'
  | 'a preview without changes sends nothing'
  | 'only changes are sent'
  | 'nothing is created twice'
  | 'a refresh finds only drift'
  | 'allowRestart is respected'
  | 'no false failure'
  | 'calls end in time'
  | 'the next run succeeds'
  | 'the next preview is empty'
  | 'nothing keeps running'
  | 'nothing is deleted unnamed'
  | 'a delete yields to its adopter'
  | 'no branch is deleted from under an endpoint'
  | 'a guard that others set is respected'
  | 'a preview foretells what can not be done'
  | 'a preview says what adopt does'
  | 'advice can be followed'
  | 'reverting heals'
  | 'the simulation works';

/** A rule that a schedule broke, and how. */
export interface Violation {
  readonly rule: Rule;
  readonly what: string;
}

export function describeViolation({ rule, what }: Violation): string {
  return `${rule}: ${what}`;
}
