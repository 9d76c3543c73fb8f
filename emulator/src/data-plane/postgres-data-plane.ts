import { EventEmitter } from 'node:events';
import type { ControlPlane } from '../control-plane/control-plane';
import type { DataPlane } from '../control-plane/data-plane';
import { connectToEndpoint } from '../control-plane/power-commands';
import type { Computes } from '../gateway/computes';
import { ConnectionRefusal } from '../gateway/connection-refusal';
import type { ScramVerifier } from '../gateway/scram';
import type { Change } from '../records/journal';
import {
  type BranchRecord,
  type EndpointRecord,
  isActive,
  type ProjectRecord,
  type Step,
} from '../records/records';
import { type Clients, updateAccess, updateIfPossible } from './access-updates';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { hasRoles } from './cluster-state';
import { Compute, whenActive } from './compute';
import { keepSettings, SettingsTrials } from './settings-trials';
import { startPrimary, startStandby } from './start-server';
import { Verifiers } from './verifiers';

/** Real Postgres servers for the endpoints. A server starts with the first connection and stops with its compute. */
export class PostgresDataPlane implements DataPlane, Computes, Clients {
  readonly #data: BranchData;
  /** The computes that a client has connected to, by endpoint. */
  readonly #computes = new Map<string, Compute>();
  /** Emits the ids of endpoints. */
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #settings: SettingsTrials;
  readonly #verifiers: Verifiers;
  #plane: ControlPlane | undefined;
  #isStopping = false;
  readonly schemas: BranchData['schemas'];
  readonly settingRules: BranchData['settingRules'];
  readonly version: number;
  port = 0;
  /** @param projects those of an earlier emulator, whose data exists already */
  constructor(data: BranchData, projects: readonly ProjectRecord[]) {
    this.#data = data;
    this.schemas = data.schemas;
    this.settingRules = data.settingRules;
    this.version = data.setup.version;
    this.#settings = new SettingsTrials(data, projects);
    this.#verifiers = new Verifiers(data);
  }

  /** Lets clients connect to the endpoints of the control plane. */
  serve(plane: ControlPlane): void {
    this.#plane = plane;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#data.stop();
  }

  async verifier(endpointId: string, role: string): Promise<ScramVerifier> {
    const { store } = this.#servedPlane();
    const { project, wire } = store.findEndpoint(endpointId);
    return this.#verifiers.of(store.branch(project, wire.branch_id), role);
  }

  async reach(endpointId: string, signal: AbortSignal): Promise<string> {
    for (;;) {
      const plane = this.#servedPlane();
      const endpoint = plane.store.findEndpoint(endpointId);
      connectToEndpoint(plane, endpoint);
      await whenActive(endpoint, this.#changes, signal);
      const compute = this.#computeOf(endpoint);
      const socket = this.#socketOf(compute) ?? (await this.#bringUp(compute));
      signal.throwIfAborted();
      // The compute may have been suspended again in the meantime.
      if (socket !== undefined) return socket;
    }
  }

  attach(endpointId: string, cut: () => void): { traffic(): void; close(): void } {
    const compute = this.#computes.get(endpointId);
    const client = this.#plane && compute?.addClient(this.#plane, cut);
    return client ?? { traffic: () => undefined, close: () => undefined };
  }

  work(
    project: ProjectRecord,
    { action, purpose, branchId, endpointId = '', restore }: Step,
  ): Promise<void> | undefined {
    if (restore !== undefined) return this.#restore(project, branchId, restore);
    if (purpose === 'branch-creation') return this.#data.copies.created(branchId);
    if (action !== 'apply_config' && action !== 'start_compute') return undefined;
    const endpoint = project.endpoints.get(endpointId);
    const branch = action === 'apply_config' ? project.branches.get(branchId) : undefined;
    const save = (): void => endpoint && this.#plane?.journal.noteEndpoint(endpoint);
    const clusterNow = () => this.#computes.get(endpointId)?.cluster;
    const settings = endpoint && this.#settings.apply(endpoint, save, clusterNow);
    const access = this.#applyAccess(branch);
    return settings || access ? Promise.all([settings, access]).then(() => undefined) : undefined;
  }

  connections(endpointId: string): number {
    return this.#computes.get(endpointId)?.connections ?? 0;
  }

  async isQuerying(endpointId: string): Promise<boolean> {
    const compute = this.#computes.get(endpointId);
    if (compute === undefined) return false;
    return compute.waitingClients > 0 || ((await compute.cluster?.isQuerying()) ?? false);
  }

  note(change: Change): void {
    const { kind, project } = change;
    if (kind === 'branches') this.#data.noteBranch(change.record);
    if (kind === 'endpoints') this.#noteEndpoint(change.record);
    // Its record gets the roles that the data is to have, and a server may run on that already.
    if (kind === 'operations' && change.record.progress === 'ended' && change.record.step.restore)
      this.#applyAccess(project.branches.get(change.record.step.branchId))?.catch(() => undefined);
    if (kind === 'projects' && project.isDeleted)
      for (const branchId of project.branches.keys()) this.#data.forget(branchId);
  }

  #noteEndpoint(endpoint: EndpointRecord): void {
    const { id, type } = endpoint.wire;
    this.#changes.emit(id);
    keepSettings(endpoint);
    const compute = this.#computes.get(id);
    if (compute !== undefined && !isActive(endpoint)) this.#takeDown(compute);
    if (endpoint.project.endpoints.has(id)) return;
    if (this.#computes.delete(id) && type === 'read_only') this.#data.forget(id);
  }

  #servedPlane(): ControlPlane {
    if (this.#plane !== undefined && !this.#isStopping) return this.#plane;
    throw new ConnectionRefusal('57P03', 'the emulator is starting or stopping');
  }

  /** The socket of the endpoint's server, if it runs. Its clients wait for nothing else that happens to the branch. */
  #socketOf(compute: Compute): string | undefined {
    return this.#isWanted(compute) ? compute.socketOn(this.#data.clusterOf(compute.endpoint)) : undefined;
  }

  /** The same, after a start if it does not run; undefined if the compute is no longer active. */
  async #bringUp(compute: Compute): Promise<string | undefined> {
    compute.waitingClients += 1;
    try {
      return await this.#startServer(compute);
    } finally {
      compute.waitingClients -= 1;
      this.#plane?.autosuspend.noteActivity(compute.endpoint);
    }
  }

  #isWanted({ endpoint }: Compute): boolean {
    return isActive(endpoint) && !this.#isStopping;
  }

  #computeOf(endpoint: EndpointRecord): Compute {
    const { id } = endpoint.wire;
    const compute = this.#computes.get(id) ?? new Compute(endpoint);
    this.#computes.set(id, compute);
    return compute;
  }

  #startServer(compute: Compute): Promise<string | undefined> {
    const { endpoint, failure } = compute;
    const { project, wire } = endpoint;
    const primary = this.#data.of(wire.branch_id);
    const cluster = this.#data.clusterOf(endpoint);
    const branch = project.branches.get(wire.branch_id);
    // It moved to another branch, which has a turn of its own, and its suspension has not ended yet.
    if (compute.cluster !== cluster) this.#takeDown(compute);
    const done = cluster.inTurn(async () => {
      if (!this.#isWanted(compute) || branch?.wire.id !== wire.branch_id) return undefined;
      // Another client has started it.
      const socket = this.#socketOf(compute);
      if (socket !== undefined) return socket;
      // Or could not: if each that waits tried again, whatever else happens to the branch would wait for all of them.
      if (compute.failure !== failure) throw compute.failure;
      // A suspension from now on waits for the start, and stops the server.
      Object.assign(compute, { cluster, socket: undefined });
      if (cluster.endpointId !== wire.id)
        await this.#computes.get(cluster.endpointId ?? '')?.drop(cluster.stop());
      const update = () => updateIfPossible(primary, branch, this);
      if (cluster === primary) {
        await startPrimary(this.#data, endpoint, primary);
        await update();
      } else {
        await startStandby(this.#data, endpoint, primary, update);
        cluster.server?.whenLeftBehind(() => this.#takeDown(compute));
      }
      const started = this.#isWanted(compute) ? cluster.server?.socket : undefined;
      // After a start during a restore, the next client looks again for the first roles.
      if (hasRoles(primary.state)) compute.socket = started;
      return started;
    });
    done.catch((error) => Object.assign(compute, { failure: error }));
    return done;
  }

  #takeDown(compute: Compute): void {
    const { cluster } = compute;
    Object.assign(compute, { cluster: undefined, socket: undefined });
    const { id } = compute.endpoint.wire;
    const stopped = cluster?.inTurn(async () => {
      if (cluster.endpointId === id) await cluster.stop();
    });
    // On a full disk, a stop can fail after the server has ended.
    compute.drop(Promise.resolve(stopped)).catch(() => undefined);
  }

  /** For a cluster that has data, or is getting it; otherwise its first start does it. */
  #applyAccess(branch: BranchRecord | undefined): Promise<void> | undefined {
    if (branch === undefined) return undefined;
    const cluster = this.#data.of(branch.wire.id);
    if (!cluster.exists && this.#data.copies.of(branch.wire.id) === undefined) return undefined;
    return cluster.inTurn(async () => {
      if (cluster.exists) await updateAccess(cluster, branch, this);
    });
  }

  /** A client may have woken a standby on the previous data meanwhile. */
  async #restore(
    project: ProjectRecord,
    branchId: string,
    restore: NonNullable<Step['restore']>,
  ): Promise<void> {
    await this.#data.copies.restore(project, branchId, restore);
    const branch = project.branches.get(branchId);
    if (branch) this.takeDownStandbys(this.#data.of(branchId), branch);
  }

  /** The next client of such a standby starts it again, with a new copy of the branch's data. */
  takeDownStandbys(primary: Cluster, branch: BranchRecord): void {
    for (const compute of this.#computes.values()) {
      const { cluster, endpoint } = compute;
      const isStandby = cluster !== undefined && cluster !== primary;
      if (isStandby && endpoint.wire.branch_id === branch.wire.id) this.#takeDown(compute);
    }
  }

  async dropConnections(cluster: Cluster): Promise<void> {
    const compute = this.#computes.get(cluster.endpointId ?? '');
    const dropped = cluster.dropConnections();
    if (compute === undefined) return void (await dropped);
    const done = compute.drop(dropped);
    this.#plane?.journal.noteEndpoint(compute.endpoint);
    await done;
  }
}
