import type { AgreementScenario } from '../agreement-scenario';
import { changes } from './changes';
import { failures } from './failures';
import { reads } from './reads';
import { replacements } from './replacements';
import { several } from './several';

export const allScenarios: readonly AgreementScenario[] = [
  ...changes,
  ...failures,
  ...reads,
  ...several,
  ...replacements,
];
