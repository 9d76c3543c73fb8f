import type { ProviderConfig } from '../config/provider-config';
import { ControlApi } from '../control-api/control-api';
import type { RetryPacing } from '../control-api/retry';
import { type ProjectPacing, ServiceProject } from './service-project';

/** What differs between the real service and one under test. */
export interface ServicePacing extends ProjectPacing {
  readonly retryPacing?: RetryPacing | undefined;
  /** How long one request may take. Milliseconds. @default 30000 */
  readonly requestTimeoutMs?: number | undefined;
}

/** The projects of the service that one process works on: one HTTP client for all, one object for each. */
export class ServiceProjects {
  readonly #config: ProviderConfig;
  readonly #pacing: ServicePacing;
  readonly #projects = new Map<string, ServiceProject>();
  #api: ControlApi | undefined;

  constructor(config: ProviderConfig, pacing: ServicePacing) {
    this.#config = config;
    this.#pacing = pacing;
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  project(projectId: string): ServiceProject {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const { retryPacing, requestTimeoutMs } = this.#pacing;
    this.#api ??= new ControlApi({ ...this.#config.connection, retryPacing, requestTimeoutMs });
    const project = new ServiceProject(this.#api, projectId, this.#pacing);
    this.#projects.set(projectId, project);
    return project;
  }
}
