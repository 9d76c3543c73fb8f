const ACCOUNT = ['api_keys', 'auth', 'consumption_history', 'users/me/projects'];
const ORGANIZATION = ['api_keys', 'billing', 'invitations', 'members', 'projects', 'vpc'];
const PROJECT =
  'advisors auth available_preload_libraries branch_anonymized jwks members permissions recover snapshots transfer_requests vpc_endpoints';
const BRANCH =
  'ai_gateway anonymize anonymized_status auth backup_schedule buckets compare_schema credentials custom-domains data-api finalize_restore functions logs masking_rules recover snapshot storage triggers';

const REFUSED = [
  ...ACCOUNT,
  'projects/auth',
  ...ORGANIZATION.map((part) => `organizations/[^/]+/${part}`),
  ...PROJECT.split(' ').map((part) => `projects/[^/]+/${part}`),
  ...BRANCH.split(' ').map((part) => `projects/[^/]+/branches/[^/]+/${part}`),
];
const PATTERN = new RegExp(`^/(${REFUSED.join('|')})(/|$)`);

/** Whether the API describes calls at this path, or below it, and the emulator serves none of them. */
export function isRefused(path: string): boolean {
  return PATTERN.test(path);
}
