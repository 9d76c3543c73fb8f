import { type ReadConfig, readConnectionSettings } from '../config/connection-settings';
import { ControlApi } from '../control-api/control-api';
import { messageOf } from '../control-api/error-message';
import { makeRedactor, type Redact } from '../control-api/redaction';
import type { RetryPacing } from '../control-api/retry';
import type { Endpoint } from '../control-api/wire-types';
import type { PollPacing } from '../operations/poll-schedule';
import { ServiceProject } from '../operations/service-project';
import type { LockPacing } from '../operations/write-queue';
import type { EndpointInputs, InputFailure } from './endpoint-inputs';

/** What differs between the real service and one under test. */
export interface ServiceOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly pollPacing?: PollPacing;
  readonly lockPacing?: LockPacing;
  /** For how long reads may lag behind writes. Milliseconds. @default 10000 */
  readonly graceMs?: number;
  readonly retryPacing?: RetryPacing;
  /** How long one request may take. Milliseconds. */
  readonly requestTimeoutMs?: number;
  /** How long a list of a project's endpoints answers for all that are read. Milliseconds. @default 5000 */
  readonly readSharingMs?: number;
  /** How long a preview waits for a list of endpoints before it continues without. Milliseconds. @default 5000 */
  readonly previewPatienceMs?: number;
}

const allowRestartKey = 'postgresCompute:allowRestart';
const defaultReadSharingMs = 5_000;
const defaultPreviewPatienceMs = 5_000;

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

  get previewPatienceMs(): number {
    return this.#options.previewPatienceMs ?? defaultPreviewPatienceMs;
  }

  /** What is wrong with the settings, without a request. */
  findConnectionFailures(): InputFailure[] {
    try {
      this.#readConnection();
    } catch (error) {
      return [{ property: '', reason: messageOf(error) }];
    }
    const allowRestart = this.#readAllowRestart();
    if ([undefined, 'true', 'false'].includes(allowRestart)) return [];
    return [{ property: '', reason: `${allowRestartKey} must be true or false, not "${allowRestart}".` }];
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  project(projectId: string): ServiceProject {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const { pollPacing: poll, lockPacing: lock, graceMs } = this.#options;
    const project = new ServiceProject(this.#connect(), projectId, { poll, lock, graceMs });
    this.#projects.set(projectId, project);
    return project;
  }

  /** The endpoint as a refresh may record it; undefined when no read has shown it for as long as reads may lag behind. */
  async readEndpoint(projectId: string, endpointId: string): Promise<Endpoint | undefined> {
    const { endpoints, graceMs } = this.project(projectId);
    return (await this.findEndpoint(projectId, endpointId)) ?? endpoints.findPatiently(endpointId, graceMs);
  }

  /** The endpoint as it is now; undefined when it is not to be seen. Many are read at a time: they share lists. */
  async findEndpoint(projectId: string, endpointId: string): Promise<Endpoint | undefined> {
    const { endpoints, writes } = this.project(projectId);
    const { readSharingMs = defaultReadSharingMs } = this.#options;
    return endpoints.find(endpointId, { maxAgeMs: readSharingMs, after: writes.latestAt });
  }

  /** Whether connections of an active compute may be dropped. */
  allowsRestart({ allowRestart }: EndpointInputs): boolean {
    return allowRestart ?? [undefined, 'true'].includes(this.#readAllowRestart());
  }

  #readAllowRestart(): string | undefined {
    return this.readConfig(allowRestartKey)?.trim() || undefined;
  }

  /** Takes the key, and values of these inputs that may be secret, out of a text that is about to be shown. */
  redactorFor(...inputs: (EndpointInputs | undefined)[]): Redact {
    return makeRedactor([...this.#readKey(), ...inputs.flatMap((each) => listSecrets(each))]);
  }

  #readKey(): string[] {
    try {
      return [this.#readConnection().apiKey];
    } catch {
      // Without a usable connection no message comes from the service.
      return [];
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

/** Shorter values (`on`, `0`) are no secrets, and would be found in every text. */
const shortestSecret = 4;

/** The values that no message may repeat: those of maps that often hold secrets, and what the program marks. */
function listSecrets(inputs: Partial<EndpointInputs> = {}): string[] {
  const marked = (inputs.__secrets ?? []).flatMap((name) => listTexts(inputs[name as keyof EndpointInputs]));
  const likely = [inputs.restartTriggers, inputs.pgSettings].flatMap(listTexts);
  const isWord = (text: string) => /^(true|false|null|none|\d+)$/i.test(text);
  return [...marked, ...likely.filter((text) => !isWord(text))].filter(
    (text) => text.length >= shortestSecret,
  );
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listTexts);
  return value === undefined || value === null ? [] : [String(value)];
}
