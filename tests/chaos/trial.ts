import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from 'postgres-control-emulator';
import { type DoorName, programDoors } from '../support/program-doors';
import type { CommandResult, PulumiStack } from '../support/pulumi-stack';
import { slotName } from './declared-slot';
import type { Ground } from './ground';
import type { Scenario } from './scenario';
import { slotCount } from './slot-plan';

/** The disturbances of a seed, and the violations found after them. */
export interface ScenarioReport {
  readonly seed: number;
  readonly violations: string[];
  /** Requests and operations affected by a fault. */
  faults: number;
  kills: number;
  /** Replacements that no argument asked for. */
  replacements: number;
  lateReads: number;
  /** Endpoints and operations of other clients. */
  foreign: number;
  /** Odd statuses, pages of proxies, and broken bodies. */
  oddStatuses: number;
  /** Endpoints for which the user set `adopt: true` after a kill, as the error advised. */
  adoptions: number;
  /** Endpoints that the user renamed, because another client's endpoint had the name. */
  renames: number;
  /** Times that the user refreshed a resource whose endpoint a killed replacement had deleted, as the error says. */
  refreshes: number;
}

export function emptyReport(seed: number): ScenarioReport {
  const counts = { faults: 0, kills: 0, replacements: 0, lateReads: 0, foreign: 0, oddStatuses: 0 };
  return { seed, violations: [], ...counts, adoptions: 0, renames: 0, refreshes: 0 };
}

interface StateResource {
  readonly urn: string;
  readonly id?: string;
  readonly type: string;
}

/** A stack, its service, and the output of every command. */
export class Trial {
  readonly stack: PulumiStack;
  readonly emulator: Emulator;
  readonly ground: Ground;
  readonly scenario: Scenario;
  readonly door: DoorName;
  readonly report: ScenarioReport;
  readonly screens: string[] = [];
  /** The current round, counted from 1. */
  round = 0;
  readonly #show: ((text: string) => void) | undefined;

  constructor(
    parts: Pick<Trial, 'stack' | 'emulator' | 'ground' | 'scenario' | 'door' | 'report'>,
    show: ((text: string) => void) | undefined,
  ) {
    this.stack = parts.stack;
    this.emulator = parts.emulator;
    this.ground = parts.ground;
    this.scenario = parts.scenario;
    this.door = parts.door;
    this.report = parts.report;
    this.#show = show;
  }

  urnOf(slot: number): string {
    return `urn:pulumi:test::chaos::${programDoors[this.door].typeToken}::${slotName(slot)}`;
  }

  violate(violation: string): void {
    const { seed, violations } = this.report;
    violations.push(`seed ${seed}, round ${this.round}: ${violation}`);
    this.#show?.(`VIOLATION: ${violation}`);
  }

  /** Runs a command that may fail. */
  async run(...args: string[]): Promise<CommandResult> {
    const result = await this.stack.try(...args);
    this.note(args, result.exitCode, result.screen);
    return result;
  }

  note(args: readonly string[], exitCode: number, screen: string): void {
    this.screens.push(screen);
    this.#show?.(
      `seed ${this.report.seed}, round ${this.round}: pulumi ${args.join(' ')}: exit ${exitCode}\n${screen}`,
    );
  }

  /** Reads the endpoints from the state file, which is quicker than an export. */
  async readState(): Promise<StateResource[]> {
    const file = join(this.stack.backend, '.pulumi', 'stacks', 'chaos', 'test.json');
    const text = await readFile(file, 'utf8');
    const { checkpoint } = JSON.parse(text) as {
      checkpoint: { latest?: { resources?: StateResource[] } };
    };
    return (checkpoint.latest?.resources ?? []).filter(({ type }) => type.endsWith(':ComputeEndpoint'));
  }

  /** The id in state of each slot that has one. */
  async readIds(): Promise<Map<number, string>> {
    const resources = await this.readState();
    const slots = Array.from({ length: slotCount }, (_unused, slot) => slot);
    return new Map(
      slots.flatMap((slot) => {
        const id = resources.find(({ urn }) => urn === this.urnOf(slot))?.id;
        return id === undefined ? [] : [[slot, id]];
      }),
    );
  }

  /** Whether a killed run left its lock. */
  async isLocked(): Promise<boolean> {
    const locks = join(this.stack.backend, '.pulumi', 'locks', 'organization', 'chaos', 'test');
    return (await readdir(locks).catch(() => [])).length > 0;
  }
}
