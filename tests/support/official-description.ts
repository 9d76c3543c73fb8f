import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** The official OpenAPI description, which comes with the official client. The caller's type has the parts that it uses. */
export function readOfficialDescription<Description>(): Description {
  const file = require
    .resolve('@neondatabase/api-client/package.json')
    .replace('package.json', 'public-v2-for-users.gen.yaml');
  return load(readFileSync(file, 'utf8')) as Description;
}
