import { join } from 'node:path';
import type { EngineResult } from '../simulation/engine/engine-failures';
import type { EngineOptions } from '../simulation/engine/engine-steps';
import type { Mishap } from '../simulation/engine/simulated-run';
import type { Command, Invocation } from '../simulation/user/world';
import { findHosts, kill, waitForHosts } from '../support/provider-hosts';
import type { PulumiStack } from '../support/pulumi-stack';
import { readEvents } from './engine-events';
import type { RealStack } from './real-stack';

/** No command takes longer, however busy the machine is. Milliseconds. */
const longestRunMs = 300_000;

const commands: Readonly<Record<Command, readonly string[]>> = {
  up: ['up', '--yes', '--skip-preview'],
  refresh: ['refresh', '--yes', '--skip-preview'],
  destroy: ['destroy', '--yes', '--skip-preview'],
};

/** What the CLI takes for each option of the simulated engine. */
const flags: {
  readonly [Name in keyof EngineOptions]-?: (value: NonNullable<EngineOptions[Name]>) => readonly string[];
} = {
  // Another command.
  isPreview: () => [],
  refreshesFirst: (isFirst) => (isFirst ? ['--refresh'] : []),
  replaceTargets: (urns) => [...urns].flatMap((urn) => ['--replace', urn]),
  targets: (urns) => [...urns].flatMap((urn) => ['--target', urn]),
  excludes: (urns) => [...urns].flatMap((urn) => ['--exclude', urn]),
  continuesOnError: (continues) => (continues ? ['--continue-on-error'] : []),
};

export function toArguments({ command, mishap: _, onEvent: __, ...options }: Invocation): string[] {
  const names = Object.keys(flags) as (keyof EngineOptions)[];
  const given = names.flatMap((name) => {
    const value = options[name];
    // TypeScript does not see that both have the same name.
    return value === undefined ? [] : (flags[name] as (value: unknown) => readonly string[])(value);
  });
  return [...(options.isPreview ? ['preview'] : commands[command]), ...given];
}

/** How a command has ended, and what it has shown. */
export interface CommandEnd extends EngineResult {
  readonly exitCode: number;
  readonly screen: string;
  readonly shown: readonly string[];
}

/** The processes of one command: the CLI and the host of the provider. */
export class RealCommand {
  readonly #pulumi: PulumiStack;
  readonly #eventLog: string;
  #cliPid = 0;
  #finding: Promise<readonly number[]> | undefined;
  #hostPids: readonly number[] = [];

  /** @param url where this command finds the service */
  constructor(stack: RealStack, name: string, url: string) {
    this.#pulumi = stack.commandOf({ POSTGRES_COMPUTE_BASE_URL: url, PULUMI_DEBUG_COMMANDS: 'true' });
    this.#eventLog = join(stack.pulumi.folder, `${name.replaceAll(' ', '-')}.jsonl`);
  }

  /** @param onTimeout called before a command that does not end is killed */
  async run(args: readonly string[], onTimeout: (limitMs: number) => void): Promise<CommandEnd> {
    const cli = this.#pulumi.start(...args, '--event-log', this.#eventLog);
    this.#cliPid = cli.pid ?? 0;
    const timer = setTimeout(() => {
      onTimeout(longestRunMs);
      this.cutOff('kill of CLI and host');
    }, longestRunMs);
    const { exitCode = -1, all } = await cli.catch((error) => error);
    clearTimeout(timer);
    const isSuccess = exitCode === 0;
    return { ...(await readEvents(this.#eventLog)), isSuccess, exitCode, screen: String(all) };
  }

  /** Finds the host, so that it can be killed at once. Call it when a request of it has arrived. */
  async findHost(): Promise<void> {
    this.#finding ??= findHosts(this.#pulumi);
    this.#hostPids = await this.#finding;
  }

  cutOff(kind: Mishap['kind']): void {
    const signal = kind === 'Ctrl-C' ? 'SIGINT' : 'SIGKILL';
    if (kind !== 'kill of the host') kill(this.#cliPid, signal);
    if (kind === 'kill of CLI and host' || kind === 'kill of the host')
      for (const host of this.#hostPids) kill(host, signal);
  }

  /** Waits for the host to notice that its CLI is dead. Returns whether it did: one that has had no call can't (docs/failures.md). */
  async hostEnds(): Promise<boolean> {
    const left = await waitForHosts(this.#pulumi);
    for (const host of left) kill(host, 'SIGKILL');
    return !left.some((host) => this.#hostPids.includes(host));
  }
}
