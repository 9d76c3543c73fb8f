import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, Fault, InjectedFault } from 'postgres-control-emulator';
import type { Controls as EmulatorControls } from '../../../emulator/src/controls/controls';
import {
  type AgreementScenario,
  type AgreementStep,
  type Declaration,
  type Place,
  type Program,
  places,
} from './agreement-scenario';

/** A resource as the program registers it. */
export interface Registration {
  readonly name: string;
  /** With `{ $secret: VALUE }` for a secret. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly timeoutSeconds: number;
  readonly createsBeforeDelete: boolean;
  readonly importId: string | undefined;
  readonly replaceOnChanges: readonly string[] | undefined;
}

/** Those of the emulator, in this process or over HTTP. */
export type Controls = Pick<EmulatorControls, keyof EmulatorControls>;

interface Location {
  readonly projectId: string;
  readonly branchId: string;
}

const finalStatuses = ['finished', 'skipped', 'failed', 'error', 'cancelled'];

/** The service of one scenario, simulated or over HTTP: where its endpoints are, and what other clients do to them. */
export class AgreementGround {
  readonly #controls: Controls;
  readonly #projectIds: readonly string[];
  readonly #locations = new Map<string, Location>();

  constructor(controls: Controls, { steps }: AgreementScenario) {
    this.#controls = controls;
    const [first, second] = ['first', 'second'].map((name) => controls.createProject({ name }).id);
    if (!first || !second) throw new Error('the service creates no projects');
    this.#projectIds = [first, second];
    for (const name of new Set(steps.flatMap(({ program = {} }) => Object.keys(program))))
      for (const place of places) {
        const projectId = place === 'second project' ? second : first;
        this.#locations.set(`${name} ${place}`, { projectId, branchId: controls.createBranch(projectId).id });
      }
  }

  /** The ids that differ between two services, and what to call them. */
  get idNames(): ReadonlyMap<string, string> {
    const names = new Map(this.#projectIds.map((id, index) => [id, `<project ${index + 1}>`]));
    for (const [place, { branchId }] of this.#locations) names.set(branchId, `<branch ${place}>`);
    return names;
  }

  register(program: Program): Registration[] {
    return Object.entries(program).map(([name, declaration]) => ({
      name,
      args: { ...this.#locate(name, declaration.place), type: 'read_write', ...declaration.args },
      timeoutSeconds: declaration.timeoutSeconds ?? 600,
      createsBeforeDelete: declaration.createsBeforeDelete ?? false,
      importId: this.#importId(name, declaration),
      replaceOnChanges: declaration.replaceOnChanges,
    }));
  }

  /** Does what precedes the command of a step. Returns the faults during the command. */
  prepare({ intrusions = [], faults = [] }: AgreementStep): InjectedFault[] {
    for (const { resource, deletes, changes, creates } of intrusions) {
      const { projectId, branchId } = this.#locate(resource);
      if (creates)
        this.#controls.createEndpoint(projectId, { type: 'read_write', ...creates, branch_id: branchId });
      if (changes) this.#controls.changeEndpoint(this.#endpoint(resource).id, changes);
      if (deletes) this.#controls.deleteEndpoint(this.#endpoint(resource).id);
    }
    const [, secondProject = ''] = this.#projectIds;
    return faults.map((fault) => {
      const isLimited = 'projectId' in fault.match;
      return this.#controls.inject(
        isLimited ? ({ ...fault, match: { ...fault.match, projectId: secondProject } } as Fault) : fault,
      );
    });
  }

  /** Ends the faults, and waits for the operations that they have held. */
  async calm(faults: readonly InjectedFault[]): Promise<void> {
    for (const fault of faults) fault.clear();
    const operations = () => this.#projectIds.flatMap((id) => this.#controls.operations(id));
    while (operations().some(({ status }) => !finalStatuses.includes(status))) await sleep(20);
  }

  #locate(name: string, place: Place = 'first'): Location {
    const location = this.#locations.get(`${name} ${place}`);
    if (!location) throw new Error(`no program declares ${name}`);
    return location;
  }

  #endpoint(name: string): Endpoint {
    const { projectId, branchId } = this.#locate(name);
    const found = this.#controls.endpoints(projectId).find(({ branch_id }) => branch_id === branchId);
    if (!found) throw new Error(`${name} has no endpoint`);
    return found;
  }

  #importId(name: string, declaration: Declaration): string | undefined {
    if (declaration.import === undefined) return undefined;
    const { projectId } = this.#locate(name);
    return `${projectId}/${declaration.import === 'missing' ? 'ep-calm-sky-12345678' : this.#endpoint(name).id}`;
  }
}
