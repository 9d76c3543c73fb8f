import { randomBytes, randomInt } from 'node:crypto';

const FIRST_WORDS = 'aged bold calm dark dawn fancy green little quiet shiny steep wispy'.split(' ');
const SECOND_WORDS = 'bush cloud dew field lake meadow moon paper river smoke term wind'.split(' ');

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? 'plain';
}

function newWordId(): string {
  return `${pick(FIRST_WORDS)}-${pick(SECOND_WORDS)}-${randomInt(10_000_000, 100_000_000)}`;
}

/** Every id matches `^[a-z0-9-]{1,60}$`, the pattern of the OpenAPI description. */
export const newProjectId = newWordId;
export const newBranchId = (): string => `br-${newWordId()}`;
export const newEndpointId = (): string => `ep-${newWordId()}`;
export const newDatabaseId = (): number => randomInt(1, 1_000_000_000);
export const newApiKey = (): string => `key_${randomBytes(24).toString('hex')}`;
export const newPassword = (): string => randomBytes(12).toString('hex');
