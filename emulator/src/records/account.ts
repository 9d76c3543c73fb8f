/** The account: an organization that owns every project, with one user. */
export const ACCOUNT_ID = 'emulator-account';
