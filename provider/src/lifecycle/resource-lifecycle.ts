import type { Deadline } from '../control-api/deadline';
import type { ProviderCore } from './provider-core';
import type { CheckedDeclaration, Declared, Properties, UncheckedDeclaration } from './resource-identity';
import type { Prior, Unsettled } from './resource-state';
import type { ResourceType } from './resource-type';

export interface ResourceDiff {
  readonly hasChanges: boolean;
  /** The arguments that differ from the state. */
  readonly changes: readonly string[];
  /** The arguments whose change replaces the resource. */
  readonly replaces: readonly string[];
  /** Whether the change restarts an active compute, or may do so. */
  readonly restarts?: boolean;
  /** Whether the change deletes the data of a branch, or may do so. */
  readonly deletesData?: boolean;
}

/** The behaviour of a type of resource, as an adapter calls it. Every error message may be shown: it holds no secret. */
export interface ResourceLifecycle<Inputs = Properties, Outputs extends Unsettled = Properties & Unsettled> {
  readonly core: ProviderCore;
  readonly type: ResourceType;

  /** @param olds what is in state; undefined when the resource is created */
  check(
    olds: UncheckedDeclaration | undefined,
    news: UncheckedDeclaration,
  ): Promise<CheckedDeclaration<Inputs>>;

  diff(id: string, prior: Prior<Inputs, Outputs>, news: Declared<Inputs>): Promise<ResourceDiff>;

  /** @throws UnsettledError when the resource exists, but not as declared: it must be kept in state */
  create(
    news: Declared<Inputs>,
    deadline: Deadline,
  ): Promise<{ readonly id: string; readonly outputs: Outputs }>;

  /**
   * The resource as it is now; undefined when it does not exist.
   * @param declared the inputs to return: those in state, or for a resource that is not in state the ones that declare it
   */
  read(
    id: string,
    prior: Prior<Inputs, Outputs>,
    declared?: 'in state' | 'as found',
  ): Promise<{ readonly inputs: Inputs; readonly outputs: Outputs } | undefined>;

  /** @throws UnsettledError when the resource is not as declared: its outputs must be kept in state */
  update(
    id: string,
    prior: Prior<Inputs, Outputs>,
    news: Declared<Inputs>,
    deadline: Deadline,
  ): Promise<Outputs>;

  delete(id: string, prior: Prior<Inputs, Outputs>, deadline: Deadline): Promise<void>;
}
