import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { type EmulatorOptions, flagOf } from './options/emulator-options';

const controlPort = 8080;
const defaultPostgresPort = 5432;

/** The options of `startEmulator`, except those of the machine on which it runs. */
export type ContainerOptions = Omit<
  EmulatorOptions,
  'port' | 'host' | 'allowRemote' | 'data' | 'postgres'
> & {
  /** Puts a Postgres server behind each endpoint; the image contains its programs. @default false */
  readonly postgres?: boolean;
  /** Another image, such as one of your own registry. @default that of this package's version */
  readonly image?: string;
};

/** The emulator in a container, for tests that use Testcontainers. The package `testcontainers` must be installed. */
export class PostgresControlEmulatorContainer extends GenericContainer {
  readonly #apiKey: string;

  constructor({ image, apiKey = randomUUID(), ...options }: ContainerOptions = {}) {
    const { postgres = false, postgresPort = defaultPostgresPort } = options;
    super(image ?? findImage(postgres));
    this.#apiKey = apiKey;
    this.withEnvironment({ POSTGRES_CONTROL_EMULATOR_API_KEY: apiKey })
      .withCommand(toArguments({ ...options, ...(postgres && { postgresPort }) }))
      .withWaitStrategy(Wait.forHealthCheck())
      // Connection strings have the port of the container, so this one must be the same outside.
      .withExposedPorts(controlPort, ...(postgres ? [{ container: postgresPort, host: postgresPort }] : []));
  }

  override async start(): Promise<StartedPostgresControlEmulatorContainer> {
    return new StartedPostgresControlEmulatorContainer(await super.start(), this.#apiKey);
  }
}

export class StartedPostgresControlEmulatorContainer extends AbstractStartedContainer {
  /** The bearer key that the emulator accepts. */
  readonly apiKey: string;

  constructor(container: StartedTestContainer, apiKey: string) {
    super(container);
    this.apiKey = apiKey;
  }

  /** The base URL, including the version segment. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(controlPort)}/api/v2`;
  }
}

/** The options as arguments of the command, whose defaults are those of `startEmulator` then. */
export function toArguments(options: Omit<ContainerOptions, 'image' | 'apiKey'>): string[] {
  return Object.entries({ operationMs: 0, ...options }).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [flagOf(name)] : [flagOf(name), toText(value)];
  });
}

function toText(value: string | number | Readonly<Record<string, number>>): string {
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, number]) => `${name}=${number}`)
    .join(',');
}

function findImage(postgres: boolean): string {
  const { version, repository } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8'));
  const [, owner] = /github\.com\/([^/]+)\//.exec(repository.url) ?? [];
  return `ghcr.io/${owner?.toLowerCase()}/postgres-control-emulator:${version}${postgres ? '-postgres' : ''}`;
}
