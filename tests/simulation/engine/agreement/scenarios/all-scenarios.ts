import type { AgreementScenario } from '../agreement-scenario';
import { branches } from './branches';
import { changes } from './changes';
import { failures } from './failures';
import { reads } from './reads';
import { renames } from './renames';
import { replacements } from './replacements';
import { scopes } from './scopes';
import { several } from './several';

export const allScenarios: readonly AgreementScenario[] = [
  ...changes,
  ...failures,
  ...reads,
  ...several,
  ...replacements,
  ...branches,
  ...renames,
  ...scopes,
];
