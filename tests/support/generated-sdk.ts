import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './documents';

export const sdkFolder = join(repository, '.sdk');
export const wheels = join(sdkFolder, 'wheels');

const schema = join(repository, 'provider/plugin/schema.json');
const stamp = join(sdkFolder, 'schema.json');

/** Whether `npm run sdk` has generated the SDKs from the schema as it is. */
export const isSdkMade = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(schema, 'utf8');

if (!isSdkMade && process.env.REQUIRE_SDK === '1') throw new Error('There are no SDKs: run `npm run sdk`.');
