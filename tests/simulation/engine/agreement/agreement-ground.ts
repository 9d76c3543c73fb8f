import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDeepWith, isUndefined, omitBy } from 'lodash';
import type { Endpoint, Fault, InjectedFault } from 'postgres-control-emulator';
import type { Controls as EmulatorControls } from '../../../../emulator/src/controls/controls';
import type { ResourceType, StackState } from '../stack';
import {
  type AgreementScenario,
  type AgreementStep,
  type Declaration,
  type Intrusion,
  type Place,
  type Program,
  places,
} from './agreement-scenario';
import { nameOf, urnOf } from './transcript';

/** A resource as the program registers it. */
export interface Registration {
  readonly name: string;
  readonly type: ResourceType;
  /** With `{ $secret: VALUE }` for a secret. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments that are outputs of other resources of the program. */
  readonly references: Readonly<Record<string, { readonly of: string; readonly output: string }>>;
  readonly aliases: readonly string[];
  readonly dependsOn: readonly string[];
  readonly retainOnDelete: boolean;
  readonly timeoutSeconds: number;
  readonly createsBeforeDelete: boolean;
  readonly importId: string | undefined;
  readonly replaceOnChanges: readonly string[] | undefined;
}

/** Those of the emulator, in this process or over HTTP. */
export type Controls = Pick<EmulatorControls, keyof EmulatorControls>;

const finalStatuses = ['finished', 'skipped', 'failed', 'error', 'cancelled'];

/** The service of one scenario, simulated or over HTTP: where its endpoints are, and what other clients do to them. */
export class AgreementGround {
  readonly #controls: Controls;
  readonly #projectIds: readonly string[];
  /** The branches at the places that are in use. */
  readonly #branchIds = new Map<string, string>();
  readonly #types = new Map<string, ResourceType>();
  /** The ids that programs give as texts, by the name of the resource. */
  readonly #texts = new Map<string, string>();
  /** The ids in state, by name. */
  #ids: ReadonlyMap<string, string> = new Map();

  constructor(controls: Controls, { steps }: AgreementScenario) {
    this.#controls = controls;
    const [first, second] = ['first', 'second'].map((name) => controls.createProject({ name }).id);
    if (!first || !second) throw new Error('the service creates no projects');
    this.#projectIds = [first, second];
    const declared = steps.flatMap(({ program = {} }) => Object.entries(program));
    for (const [name, { type = 'ComputeEndpoint' }] of declared) this.#types.set(name, type);
  }

  /** The ids that differ between two services, and what to call them. */
  get idNames(): ReadonlyMap<string, string> {
    const names = new Map(this.#projectIds.map((id, index) => [id, `<project ${index + 1}>`]));
    for (const name of this.#types.keys())
      for (const place of places) names.set(this.#branchAt(name, place), `<branch ${name} ${place}>`);
    return names;
  }

  urnOf(name: string): string {
    return urnOf(name, this.#types.get(name));
  }

  /** A command has left this state. */
  noteState({ resources }: StackState): void {
    this.#ids = new Map(
      resources.filter(({ isToDelete }) => !isToDelete).map(({ urn, id }) => [nameOf(urn), id]),
    );
  }

  register(program: Program): Registration[] {
    return Object.entries(program).map(([name, declaration]) => {
      const { type = 'ComputeEndpoint', aliases = [], dependsOn = [], retainOnDelete = false } = declaration;
      const { args, references } = this.#resolve(name, declaration);
      return {
        name,
        type,
        args,
        references,
        aliases,
        dependsOn,
        retainOnDelete,
        timeoutSeconds: declaration.timeoutSeconds ?? 600,
        createsBeforeDelete: declaration.createsBeforeDelete ?? false,
        importId: this.#importId(name, declaration),
        replaceOnChanges: declaration.replaceOnChanges,
      };
    });
  }

  /** The arguments, without the marks of ids. */
  #resolve(
    name: string,
    { type = 'ComputeEndpoint', place, placesOf = name, args: given = {} }: Declaration,
  ) {
    const projectId = this.#projectAt(place);
    const isEndpoint = type === 'ComputeEndpoint';
    const isPlaced = isEndpoint && given.branchId === undefined;
    const resolved: Record<string, unknown> = {
      projectId,
      ...(isPlaced && { branchId: this.#branchAt(placesOf, place) }),
      ...(isEndpoint && { type: 'read_write' }),
    };
    const args: Readonly<Record<string, unknown>> = cloneDeepWith(given, (value) =>
      value?.$place ? this.#branchAt(placesOf, value.$place) : undefined,
    );
    const references: Record<string, Registration['references'][string]> = {};
    for (const [argument, value] of Object.entries(args)) {
      const { $ref, output = 'id', value: known, $id } = (value ?? {}) as Partial<Record<string, string>>;
      if ($ref !== undefined) references[argument] = { of: $ref, output };
      resolved[argument] = value;
      if ($ref !== undefined || $id !== undefined) resolved[argument] = known ?? this.#idAsText($id ?? '');
    }
    return { args: omitBy(resolved, isUndefined), references };
  }

  /** The id that programs give as text for this resource. */
  textOf(name: string): string | undefined {
    return this.#texts.get(name) ?? this.#ids.get(name);
  }

  #idAsText(name: string): string | undefined {
    const id = this.textOf(name);
    if (id !== undefined) this.#texts.set(name, id);
    return id;
  }

  /** Does what precedes the command of a step. Returns the faults during the command. */
  prepare({ intrusions = [], faults = [] }: AgreementStep): InjectedFault[] {
    for (const intrusion of intrusions) this.intrude(intrusion);
    const [, secondProject = ''] = this.#projectIds;
    return faults.map((fault) => {
      const isLimited = 'projectId' in fault.match;
      return this.#controls.inject(
        isLimited ? ({ ...fault, match: { ...fault.match, projectId: secondProject } } as Fault) : fault,
      );
    });
  }

  /** Does what another client does. */
  intrude({ resource, place, protects, branches, deletes, changes, creates }: Intrusion): void {
    const isBranch = this.#types.get(resource) === 'Branch';
    const projectId = this.#projectAt(place);
    const isOfBranch = isBranch && place === undefined;
    const id = isOfBranch ? (this.#ids.get(resource) ?? '') : this.#branchAt(resource, place);
    if (protects) this.#controls.changeBranch(projectId, id, { protected: true });
    if (branches) this.#controls.createBranch(projectId, { parentId: id });
    if (creates) this.#controls.createEndpoint(projectId, { type: 'read_write', ...creates, branch_id: id });
    if (changes) this.#controls.changeEndpoint(this.#endpoint(resource).id, changes);
    if (deletes) this.#controls.deleteEndpoint(this.#endpoint(resource).id);
  }

  /** Ends the faults, and waits for the operations that they have held. */
  async calm(faults: readonly InjectedFault[]): Promise<void> {
    for (const fault of faults) fault.clear();
    const operations = () => this.#projectIds.flatMap((id) => this.#controls.operations(id));
    while (operations().some(({ status }) => !finalStatuses.includes(status))) await sleep(20);
  }

  #projectAt(place: Place = 'first'): string {
    const [first = '', second = ''] = this.#projectIds;
    return place === 'second project' ? second : first;
  }

  /** The branch at a place; the first call creates it. */
  #branchAt(name: string, place: Place = 'first'): string {
    const key = `${name} ${place}`;
    const known = this.#branchIds.get(key);
    if (known !== undefined) return known;
    const { id } = this.#controls.createBranch(this.#projectAt(place));
    this.#branchIds.set(key, id);
    return id;
  }

  #endpoint(name: string): Endpoint {
    const branchId = this.#branchAt(name);
    const endpoints = this.#controls.endpoints(this.#projectAt());
    const found = endpoints.find(({ branch_id }) => branch_id === branchId);
    if (!found) throw new Error(`${name} has no endpoint`);
    return found;
  }

  #importId(name: string, declaration: Declaration): string | undefined {
    if (declaration.import === undefined) return undefined;
    return `${this.#projectAt()}/${declaration.import === 'missing' ? 'ep-calm-sky-12345678' : this.#endpoint(name).id}`;
  }
}
