import type { ControlPlane } from '../control-plane/control-plane';
import type { DataPlane } from '../control-plane/data-plane';
import { connectToEndpoint } from '../control-plane/power-commands';
import { type Computes, ConnectionRefusal } from '../gateway/computes';
import { ApiError } from '../records/api-error';
import type { BranchRecord } from '../records/branch-record';
import type { EndpointRecord } from '../records/endpoint-record';
import type { ProjectRecord } from '../records/project-record';
import { reasonOf } from '../records/thrown-reason';
import { isLockTimeout } from './admin';
import { AwaitedStarts, isActive } from './awaited-starts';
import type { BranchData } from './branch-data';
import { areBelow, type Cluster } from './cluster';
import { Compute } from './compute';
import { checkKnown, writeSettings } from './pg-settings';
import { startPrimary, startStandby } from './start-server';

/** Real Postgres servers for the endpoints. A server starts with the first connection and stops with its compute. */
export class PostgresDataPlane implements DataPlane, Computes {
  readonly #data: BranchData;
  readonly #program: string;
  /** The computes that a client has connected to, by endpoint. */
  readonly #computes = new Map<string, Compute>();
  readonly #starts = new AwaitedStarts();
  readonly #branchIds: Set<string>;
  #plane: ControlPlane | undefined;
  #isStopping = false;
  port = 0;

  /** @param branchIds the branches of an earlier emulator, whose data exists already */
  constructor(data: BranchData, program: string, branchIds: ReadonlySet<string>) {
    this.#data = data;
    this.#program = program;
    this.#branchIds = new Set(branchIds);
  }

  /** Lets clients connect to the endpoints of the control plane. */
  serve(plane: ControlPlane): void {
    this.#plane = plane;
  }

  /** Stops every server, and refuses connections from now on. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#data.all().map((cluster) => cluster.inTurn(() => cluster.stop())));
  }

  async reach(endpointId: string, signal: AbortSignal): Promise<string> {
    try {
      for (;;) {
        const { project, endpoint } = this.#wake(endpointId);
        await this.#starts.wait(project, endpoint, signal);
        const socket = await this.#bringUp(this.#computeOf(project, endpoint));
        signal.throwIfAborted();
        // The compute may have been suspended again in the meantime.
        if (socket !== undefined) return socket;
      }
    } catch (error) {
      if (error instanceof ConnectionRefusal || signal.aborted) throw error;
      if (error instanceof ApiError) throw new ConnectionRefusal('08004', error.message);
      throw new ConnectionRefusal('XX000', `endpoint ${endpointId}: ${reasonOf(error)}`);
    }
  }

  attach(endpointId: string): { traffic(): void; close(): void } {
    const plane = this.#plane;
    const compute = this.#computes.get(endpointId);
    if (plane === undefined || compute === undefined)
      return { traffic: () => undefined, close: () => undefined };
    return compute.addClient(plane);
  }

  sockets(): readonly string[] {
    return this.#data.all().flatMap(({ server }) => server?.socket ?? []);
  }

  checkSettings(settings: Readonly<Record<string, string>>): void {
    checkKnown(settings, this.#program, this.#data.template);
  }

  copied(branchId: string): Promise<void> | undefined {
    return this.#data.copied(branchId);
  }

  connections(endpointId: string): number {
    return this.#computes.get(endpointId)?.connections ?? 0;
  }

  async isQuerying(endpointId: string): Promise<boolean> {
    const compute = this.#computes.get(endpointId);
    if (compute === undefined) return false;
    return compute.waitingClients > 0 || ((await compute.cluster?.isQuerying()) ?? false);
  }

  noteProject(): void {}

  noteOperation(): void {}

  noteRemoval({ branches }: ProjectRecord): void {
    for (const branchId of branches.keys()) this.#data.forget(branchId);
  }

  noteBranch(project: ProjectRecord, branch: BranchRecord): void {
    const { id, parent_id } = branch.wire;
    const parent = project.branches.get(parent_id ?? '');
    if (project.deletedBranchIds.has(id)) this.#data.forget(id);
    else if (this.#branchIds.has(id)) this.#updateSoon(branch);
    else if (parent !== undefined) this.#data.fork(parent, branch);
    this.#branchIds.add(id);
  }

  noteEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void {
    const { id, type } = endpoint.wire;
    this.#starts.check(id);
    const compute = this.#computes.get(id);
    if (compute === undefined) return;
    if (!isActive(project, endpoint)) this.#takeDown(compute);
    else if (compute.keepPgSettings()) this.#reload(compute);
    if (project.endpoints.has(id)) return;
    this.#computes.delete(id);
    if (type === 'read_only') this.#data.forget(id);
  }

  #wake(endpointId: string): { project: ProjectRecord; endpoint: EndpointRecord } {
    if (this.#plane === undefined || this.#isStopping) {
      throw new ConnectionRefusal('57P03', 'the emulator is starting or stopping');
    }
    const found = this.#plane.store.findEndpoint(endpointId);
    connectToEndpoint(this.#plane, found.project, found.endpoint);
    return found;
  }

  /** The socket of the endpoint's server, which starts if it does not run; undefined if the compute is no longer active. */
  async #bringUp(compute: Compute): Promise<string | undefined> {
    compute.waitingClients += 1;
    try {
      return await this.#startServer(compute);
    } finally {
      compute.waitingClients -= 1;
      this.#plane?.autosuspend.noteActivity(compute.endpoint);
    }
  }

  #computeOf(project: ProjectRecord, endpoint: EndpointRecord): Compute {
    const { id } = endpoint.wire;
    const compute = this.#computes.get(id) ?? new Compute(project, endpoint);
    this.#computes.set(id, compute);
    return compute;
  }

  #startServer(compute: Compute): Promise<string | undefined> {
    const { project, endpoint } = compute;
    const { wire } = endpoint;
    const primary = this.#data.of(wire.branch_id);
    const cluster = wire.type === 'read_write' ? primary : this.#data.standbyOf(wire.id);
    const branch = project.branches.get(wire.branch_id);
    // It moved to another branch, and its suspension has not ended yet.
    if (compute.cluster !== cluster) this.#takeDown(compute);
    return cluster.inTurn(async () => {
      const isWanted = (): boolean => isActive(project, endpoint) && !this.#isStopping;
      if (!isWanted() || branch === undefined) return undefined;
      if (cluster.endpointId !== wire.id) this.#computes.get(cluster.endpointId ?? '')?.countDrops();
      compute.cluster = cluster;
      compute.keepPgSettings();
      if (cluster === primary) {
        await startPrimary(this.#data, branch, wire);
        this.#takeDownSmallStandbys(primary, wire.branch_id);
        await this.#update(cluster, branch);
      } else {
        await startStandby(this.#data, branch, wire);
      }
      return isWanted() ? cluster.server?.socket : undefined;
    });
  }

  /** Stops the server of a compute, if one runs for it. */
  #takeDown(compute: Compute): void {
    const { cluster } = compute;
    compute.cluster = undefined;
    compute.countDrops();
    const { id } = compute.endpoint.wire;
    void cluster?.inTurn(async () => {
      if (cluster.endpointId === id) await cluster.stop();
    });
  }

  /** A standby with lower limits than its primary would stop following it. The next client starts it again. */
  #takeDownSmallStandbys(primary: Cluster, branchId: string): void {
    const { limits } = primary.state;
    for (const compute of this.#computes.values()) {
      const { cluster, endpoint } = compute;
      const isStandby = endpoint.wire.branch_id === branchId && cluster !== primary;
      if (isStandby && cluster?.server && areBelow(cluster.state.limits, limits)) this.#takeDown(compute);
    }
  }

  #reload({ cluster, endpoint }: Compute): void {
    const { id, settings } = endpoint.wire;
    const done = cluster?.inTurn(async () => {
      if (cluster.endpointId !== id) return;
      writeSettings(cluster.folder, settings.pg_settings);
      cluster.server?.reload();
    });
    done?.catch(() => undefined); // Not allowed, and from an emulator without `postgres`: the next start reports it.
  }

  /** Gives a running server its branch's roles and databases. If that fails, the next client gets the reason. */
  #updateSoon(branch: BranchRecord): void {
    const cluster = this.#data.of(branch.wire.id);
    const done = cluster.inTurn(async () => {
      if (cluster.server !== undefined) await this.#update(cluster, branch);
    });
    done.catch(() => undefined);
  }

  async #update(cluster: Cluster, branch: BranchRecord): Promise<void> {
    try {
      const { dropsConnections } = await cluster.update(branch);
      if (dropsConnections) await this.#dropConnections(cluster);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await this.#dropConnections(cluster);
      await cluster.update(branch);
    }
  }

  async #dropConnections(cluster: Cluster): Promise<void> {
    const compute = this.#computes.get(cluster.endpointId ?? '');
    compute?.countDrops();
    if (compute !== undefined) this.#plane?.journal.noteEndpoint(compute.project, compute.endpoint);
    await cluster.dropConnections();
  }
}
