import { readConnectionSettings } from '../config/connection-settings';
import { ControlApi } from '../control-api/control-api';
import { messageOf } from '../control-api/control-api-error';
import { defaultRetryPacing, type RetryPacing } from '../control-api/retry';
import type { PollPacing } from '../operations/poll-schedule';
import { ServiceProject } from '../operations/service-project';
import { usageError } from './exit-codes';
import type { ProjectOptions } from './options';
import type { Screen } from './screen';

/** What a command is run with. */
export interface CommandContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly screen: Screen;
  readonly pollPacing?: PollPacing;
  readonly retryPacing?: RetryPacing;
}

/** Somebody waits at the screen, so an address where nothing answers is given up sooner than in a deployment. */
const retryPacingAtScreen: RetryPacing = { ...defaultRetryPacing, unreachableMs: 5_000 };

/** @throws CommandFailure when the project, the key or the base URL is missing or unusable */
export function openProject(options: ProjectOptions, context: CommandContext): ServiceProject {
  const { environment, pollPacing, retryPacing = retryPacingAtScreen } = context;
  const projectId = options.project ?? environment.POSTGRES_COMPUTE_PROJECT?.trim();
  if (!projectId)
    throw usageError('The project is missing: give --project, or set POSTGRES_COMPUTE_PROJECT.');
  const api = new ControlApi({ ...readSettings(options, environment), retryPacing });
  return new ServiceProject(api, projectId, { pollPacing });
}

/** By the rules of the provider, with `--base-url` in place of the stack's config, which only a program can read. */
function readSettings({ baseUrl }: ProjectOptions, environment: NodeJS.ProcessEnv) {
  if (!environment.POSTGRES_COMPUTE_API_KEY?.trim())
    throw usageError(
      'The API key is missing: set POSTGRES_COMPUTE_API_KEY (the config of a Pulumi stack is not read here).',
    );
  if (!(baseUrl ?? environment.POSTGRES_COMPUTE_BASE_URL)?.trim())
    throw usageError('The base URL is missing: give --base-url, or set POSTGRES_COMPUTE_BASE_URL.');
  try {
    return readConnectionSettings(
      (key) => (key === 'postgresCompute:baseUrl' ? baseUrl : undefined),
      environment,
    );
  } catch (error) {
    throw usageError(messageOf(error));
  }
}
