import { difference, intersection } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import type { Kind } from '../operations/service-project';
import type { ArgumentTable } from './argument-table';
import { checkDeclaration, judgeDeclaration, type Question } from './check-declaration';
import type { Place } from './create-failures';
import { isUnknown } from './input-values';
import { asReported, type ProviderCore } from './provider-core';
import type { ResourceClaims } from './resource-claims';
import type { CheckedDeclaration, Declared, Properties, UncheckedDeclaration } from './resource-identity';
import { isUnsettled, type Prior, type Unsettled } from './resource-state';
import type { ResourceType } from './resource-type';

/** What a change asks for, as the inputs and the state show it. */
export interface Difference<Name extends string = string> extends Pick<ResourceDiff, 'hasChanges'> {
  readonly changes: readonly Name[];
  readonly replaces: readonly string[];
  /** The branch that this run replaces, and the resource with it. */
  readonly base: string | undefined;
}

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

/** The inputs that a read returns: those in state, or for a resource that is not in state the ones that declare it. */
export type Wanted = 'in state' | 'as found';

export interface Created<Outputs> {
  readonly id: string;
  readonly outputs: Outputs;
}

export interface Found<Inputs, Outputs> {
  readonly inputs: Inputs;
  readonly outputs: Outputs;
}

/** The behaviour of a type of resource, as an adapter calls it. Every error message may be shown: it holds no secret. */
export abstract class ResourceLifecycle<
  Inputs extends object = Properties,
  Outputs extends Inputs & Unsettled = Inputs & Unsettled,
> {
  readonly core: ProviderCore;
  abstract readonly type: ResourceType;
  protected readonly place: Place = 'branchId';
  protected readonly claims: ResourceClaims;
  readonly #table: ArgumentTable<Inputs, never, object, string>;

  constructor(core: ProviderCore, kind: Kind, table: ArgumentTable<Inputs, never, object, string>) {
    this.core = core;
    this.claims = core.claims[kind];
    this.#table = table;
  }

  /** @param olds what is in state; undefined when the resource is created */
  async check(
    olds: UncheckedDeclaration | undefined,
    news: UncheckedDeclaration,
  ): Promise<CheckedDeclaration<Inputs>> {
    const checked = checkDeclaration<Inputs>(this.type, olds, news, this.claims);
    return judgeDeclaration(this.core, checked, olds ? [] : this.askOfCreation(checked));
  }

  /** Compares the program with the state. What a refresh has read holds foreign changes: there is nothing to report or to forbid. */
  diff(id: string, prior: Prior<Inputs, Outputs>, news: Declared<Inputs>): Promise<ResourceDiff> {
    return this.core.presentably([asReported(prior), news], async () => {
      const changes = this.#table.findChanges(prior, news.inputs);
      const base = this.#findBase(prior, news);
      const replacing: readonly string[] =
        base === undefined ? this.#table.replacing : [...this.#table.replacing, this.place];
      const replaces = intersection<string>(changes, replacing);
      const hasChanges = changes.length > 0 || this.isDue(prior);
      const found = { hasChanges, changes, replaces };
      if (this.claims.isRefreshed(id, prior, news)) return found;
      if (this.claims.takeEarly(id, news)) return found;
      const reported = await this.report(id, { ...found, base }, prior, news);
      // A branch that this run was deleting before it knew what is on it: now that refuses the delete, or is gone with it.
      await this.#checkPlace(news);
      return { ...found, ...reported };
    });
  }

  /** @throws UnsettledError when the resource exists, but not as declared: it must be kept in state */
  create(news: Declared<Inputs>, deadline: Deadline): Promise<Created<Outputs>> {
    return this.claims.noteCreate(news.resource.urn, (begin) =>
      this.core.presentably([news], async () => {
        // A delete waits for a create, so a create that waits for a delete has not begun.
        await this.#checkPlace(news);
        begin();
        return this.make(news, deadline);
      }),
    );
  }

  /** The resource as it is now; undefined when it does not exist. */
  read(
    id: string,
    prior: Prior<Inputs, Outputs>,
    declared: Wanted = 'in state',
  ): Promise<Found<Inputs, Outputs> | undefined> {
    this.claims.noteRead(id, prior);
    return this.core.presentably([asReported(prior)], () => this.find(id, prior, declared));
  }

  /** @throws UnsettledError when the resource is not as declared: its outputs must be kept in state */
  async update(
    id: string,
    prior: Prior<Inputs, Outputs>,
    news: Declared<Inputs>,
    deadline: Deadline,
  ): Promise<Outputs> {
    const found: readonly string[] = this.#table.findChanges(prior, news.inputs);
    const changes = difference(found, this.#table.settings);
    const isSettled = changes.length === 0 && !this.isDue(prior);
    const change = async () => {
      if (isSettled) return this.#table.withSettings(prior.outputs, news.inputs);
      if (changes.includes(this.place)) await this.#checkPlace(news);
      return this.change(id, prior, news, deadline, changes);
    };
    const outputs = await this.core.presentably([asReported(prior), news], change);
    this.claims.noteUpdate(news);
    return outputs;
  }

  delete(id: string, prior: Prior<Inputs, Outputs>, deadline: Deadline): Promise<void> {
    return this.core.presentably([asReported(prior)], () => this.remove(id, prior, deadline));
  }

  /** Why the resource can't be created, for the first time or as a replacement. */
  protected abstract askOfCreation(checked: CheckedDeclaration<Inputs>): Question[];
  /**
   * Reports under the resource what the change does, and returns what only its type knows of it.
   * @throws Error when the change must not be made
   */
  protected abstract report(
    id: string,
    difference: Difference<keyof Inputs & string>,
    prior: Prior<Inputs, Outputs>,
    news: Declared<Inputs>,
  ): Promise<Partial<ResourceDiff>>;
  protected abstract make(news: Declared<Inputs>, deadline: Deadline): Promise<Created<Outputs>>;
  protected abstract find(
    id: string,
    prior: Prior<Inputs, Outputs>,
    declared: Wanted,
  ): Promise<Found<Inputs, Outputs> | undefined>;
  /** @param changes the arguments to send */
  protected abstract change(
    id: string,
    prior: Prior<Inputs, Outputs>,
    news: Declared<Inputs>,
    deadline: Deadline,
    changes: readonly string[],
  ): Promise<Outputs>;
  protected abstract remove(id: string, prior: Prior<Inputs, Outputs>, deadline: Deadline): Promise<void>;

  /** @throws Error on a branch that this run is deleting: what is on it would go with the branch */
  async #checkPlace({ inputs }: Declared<Inputs>): Promise<void> {
    const place = String((inputs as Properties)[this.place]);
    const { branch } = this.core.claims;
    await Promise.allSettled([branch.item(place).leaving]);
    if (branch.item(place).leaving)
      throw new Error(
        `${this.place} is ${place}, a branch that this run has deleted to replace it. Run \`pulumi up --refresh\`, without --target and --exclude. If the program gives the id as text, set the id of the branch resource instead.`,
      );
  }

  /** The branch with which this run replaces the resource, if any. The engine calls diff for that before it passes the declaration. */
  #findBase({ outputs }: Prior<object, object>, news: Declared<object>): string | undefined {
    const [before, after] = [outputs, news.inputs].map((each) => (each as Properties)[this.place]);
    const { branch } = this.core.claims;
    const goesWithIt = this.claims.isAskedEarly(news) && branch.hasCreates && isUnknown(after);
    return goesWithIt && before !== undefined ? String(before) : undefined;
  }

  /** Whether an update has work to do even if the program changes nothing. */
  protected isDue({ outputs }: Prior<Inputs, Outputs>): boolean {
    return isUnsettled(outputs);
  }
}
