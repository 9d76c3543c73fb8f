import type { ReadProperties } from '../../../provider/src/plugin/properties';

export type ResourceType = 'ComputeEndpoint' | 'Branch' | 'Role' | 'Database';

/** An output of another resource. */
export interface Reference {
  readonly urn: string;
  /** `id`, or the name of a property. */
  readonly output: string;
}

/** What the engine keeps of a declaration besides the inputs. */
export interface KeptOptions {
  readonly timeoutSeconds: number;
  /** The inputs that are outputs of other resources. */
  readonly references?: Readonly<Record<string, Reference>> | undefined;
  /** The URNs in the resource option `dependsOn`. */
  readonly dependsOn?: readonly string[] | undefined;
  /** The resource option: a delete keeps it at the service, without a call of the provider. */
  readonly retainOnDelete?: boolean | undefined;
}

/** A resource as the engine keeps it in state. */
export interface StoredResource extends KeptOptions {
  readonly urn: string;
  readonly id: string;
  readonly inputs: ReadProperties;
  readonly outputs: ReadProperties;
  /** The create or update had failed after the endpoint existed. */
  readonly hasInitErrors: boolean;
  isTainted: boolean;
  /** Its delete-before-replace has deleted it, and its successor does not exist yet. */
  isPendingReplacement: boolean;
  /** Its successor exists: it is deleted at the end of this run, or of the next one. */
  isToDelete: boolean;
}

export interface PendingOperation {
  readonly urn: string;
  readonly kind: 'creating' | 'updating' | 'deleting' | 'reading' | 'importing';
}

/** The state file of a stack. */
export interface StackState {
  readonly resources: readonly StoredResource[];
  readonly pending: readonly PendingOperation[];
}

export const emptyState: StackState = { resources: [], pending: [] };

/** A resource as the program registers it. */
export interface DeclaredResource extends KeptOptions {
  readonly urn: string;
  readonly inputs: ReadProperties;
  /** The resource option, which the constructor sets. */
  readonly deletesFirst: boolean;
  /** The URNs in the resource option `aliases`. */
  readonly aliases?: readonly string[] | undefined;
  /** The resource option `import`: the id to import. */
  readonly importId?: string | undefined;
  /** The resource option: the arguments whose change replaces the resource, whatever the provider says. */
  readonly replaceOnChanges?: readonly string[] | undefined;
}

/** A stack of the user's backend: its state file and its lock. */
export class Stack {
  readonly name: string;
  state: StackState = emptyState;
  /** The run that holds the lock. A run that was killed leaves it behind. */
  lockedBy: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  urnOf(resource: string, type: ResourceType = 'ComputeEndpoint'): string {
    return `urn:pulumi:${this.name}::simulation::postgres-compute:index:${type}::${resource}`;
  }

  find(urn: string): StoredResource | undefined {
    return this.state.resources.find((resource) => resource.urn === urn && !resource.isToDelete);
  }

  /** `pulumi state untaint` of everything. */
  untaint(): void {
    const resources = this.state.resources.map((resource) => ({ ...resource, isTainted: false }));
    this.state = { ...this.state, resources };
  }

  /** `pulumi cancel`, after a run that was killed. */
  async unlock(): Promise<void> {
    this.lockedBy = undefined;
  }

  /** `pulumi state taint`. */
  async taint(urn: string): Promise<void> {
    const resources = this.state.resources.map((resource) =>
      resource.urn === urn && !resource.isToDelete ? { ...resource, isTainted: true } : resource,
    );
    this.state = { ...this.state, resources };
  }
}

export function isBranchUrn(urn: string): boolean {
  return urn.includes(':Branch::');
}
