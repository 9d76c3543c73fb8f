import { type ReadConfig, readConnectionSettings } from './connection-settings';
import { ControlApi } from './control-api/control-api';
import { ControlApiError } from './control-api/control-api-error';
import type { RetryPacing } from './control-api/retry';
import type { Endpoint } from './control-api/wire-types';
import type { InputFailure } from './endpoint-inputs';
import type { PollPacing } from './operations/operation-pace';
import { ServiceProject } from './service-project';
import { messageOf } from './thrown-message';

/** What differs between the real service and one under test. */
export interface ServiceOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly pollPacing?: PollPacing;
  readonly retryPacing?: RetryPacing;
  /** How long one request may take. Milliseconds. */
  readonly requestTimeoutMs?: number;
  /** How long a list of a project's endpoints answers for all that are read. Milliseconds. @default 5000 */
  readonly readSharingMs?: number;
}

const defaultReadSharingMs = 5_000;

/** The service as one process sees it: reached with the stack's settings, one object for each of its projects. */
export class ConnectedService {
  /** Reads the stack's config; set by the host's configure. */
  readConfig: ReadConfig = () => undefined;
  readonly #options: ServiceOptions;
  readonly #projects = new Map<string, ServiceProject>();
  #api: ControlApi | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** What is wrong with the key or the base URL, without a request. */
  findConnectionFailures(): InputFailure[] {
    try {
      this.#readConnection();
      return [];
    } catch (error) {
      return [{ property: '', reason: messageOf(error) }];
    }
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  project(projectId: string): ServiceProject {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const project = new ServiceProject(this.#connect(), projectId, this.#options.pollPacing);
    this.#projects.set(projectId, project);
    return project;
  }

  /** The endpoint as it is now; undefined when it, or its whole project, is gone. A refresh reads many: they share lists. */
  async findEndpoint(projectId: string, endpointId: string): Promise<Endpoint | undefined> {
    try {
      const { endpoints, writes } = this.project(projectId);
      const { readSharingMs = defaultReadSharingMs } = this.#options;
      const recent = await endpoints.recent(readSharingMs, writes.latestAt);
      return recent.find(({ id }) => id === endpointId);
    } catch (error) {
      if (error instanceof ControlApiError && error.isNotFound) return undefined;
      throw error;
    }
  }

  #connect(): ControlApi {
    const { requestTimeoutMs, retryPacing } = this.#options;
    this.#api ??= new ControlApi({
      ...this.#readConnection(),
      ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
      ...(retryPacing && { retryPacing }),
    });
    return this.#api;
  }

  #readConnection() {
    return readConnectionSettings(this.readConfig, this.#options.environment ?? process.env);
  }
}
