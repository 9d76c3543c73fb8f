import { isEqual, isNull, merge, omit, omitBy, pick, reject, union } from 'lodash';
import { isUnknown } from './input-values';
import { keepProperties, type Properties } from './resource-identity';
import { type Prior, type Unsettled, unsettledOutputs } from './resource-state';
import type { TakenOver } from './situation';

/** What a change of one argument does, and how the argument is read and written. */
export interface Argument<Effect, Shown, Attributes, Value> {
  /** `replace`: a new resource takes the place of the old one. `none`: nothing at the service. */
  readonly effect: Effect | 'replace' | 'none';
  /** Its name in responses and requests. Without it and `read`, the service does not know the argument. */
  readonly attribute?: keyof Shown & keyof Attributes & string;
  /** Reads it from a response, if it is not one attribute. */
  readonly read?: (shown: Shown) => unknown;
  /** Writes it into a request, if it is not one attribute. */
  readonly write?: (value: Value) => Attributes;
  /** Whether two values that differ mean the same, for diff and for drift. */
  readonly equals?: (left: Value, right: Value) => boolean;
  /** For drift only: whether the reported value includes the desired one. The service may report more. */
  readonly matches?: (desired: Value, reported: Value) => boolean;
  /** Whether state keeps the program's value, because the service may report it in another form or not at all. It never drifts. */
  readonly keepsProgramValue?: boolean | ((shown: Shown) => boolean);
  /** Whether it is sent only once the resource is complete, because a resource whose creation fails must not have it. */
  readonly isSetLast?: boolean;
  /** Sent when the program no longer gives the argument; null removes the value. Absent: the resource keeps its value. */
  readonly whenRemoved?: unknown;
}

type Rows<Inputs, Shown, Attributes, Effect> = {
  readonly [Name in keyof Inputs]-?: Argument<Effect, Shown, Attributes, NonNullable<Inputs[Name]>>;
};

/** The part of a resource's state that decides what has changed. */
type Before<Inputs> = Pick<Prior<Inputs, Inputs>, 'inputs' | 'outputs'>;

const unsettled: ReadonlySet<string> = new Set(unsettledOutputs);

/** All arguments of a type of resource. Diff, requests, drift, state and preview follow from its rows. */
export class ArgumentTable<Inputs extends object, Shown, Attributes extends object, Effect extends string> {
  readonly names: readonly (keyof Inputs & string)[];
  /** The arguments whose change replaces the resource. */
  readonly replacing: readonly (keyof Inputs & string)[];
  /** Settings of the provider, which the service does not know. */
  readonly settings: readonly (keyof Inputs & string)[];
  // Each row has functions of its own type, which a look-up by name can't show.
  readonly #rows: Readonly<Record<string, Argument<Effect, Shown, Attributes, never>>>;

  constructor(rows: Rows<Inputs, Shown, Attributes, Effect>) {
    this.#rows = rows;
    this.names = Object.keys(rows) as (keyof Inputs & string)[]; // Object.keys forgets the names of its argument.
    this.replacing = this.names.filter((name) => this.row(name).effect === 'replace');
    this.settings = this.names.filter((name) => this.row(name).effect === 'none');
  }

  /** The row of an argument. A name that the table does not have counts as a setting of the provider. */
  row(name: string): Argument<Effect, Shown, Attributes, never> {
    return this.#rows[name] ?? { effect: 'none' };
  }

  /** Whether the service reports it. */
  isReadable(name: string): boolean {
    const { attribute, read } = this.row(name);
    return attribute !== undefined || read !== undefined;
  }

  /** Whether a request can set it. */
  isWritable(name: string): boolean {
    const { attribute, write } = this.row(name);
    return attribute !== undefined || write !== undefined;
  }

  readonly has = (name: string): name is keyof Inputs & string => Object.hasOwn(this.#rows, name);

  /** Whether the service gets the default when the program no longer gives the argument. */
  readonly isResettable = (name: string): boolean =>
    this.isReadable(name) && this.row(name).whenRemoved !== undefined;

  readonly isSetLast = (name: string): boolean => this.row(name).isSetLast === true;

  /** The names of the arguments that the program gives. */
  findGiven(inputs: Partial<Inputs>): (keyof Inputs & string)[] {
    return this.names.filter((name) => inputs[name] !== undefined);
  }

  /** The arguments in which the desired inputs differ from the outputs in state, unknown values included. */
  findChanges(before: Before<Inputs>, desired: Inputs): (keyof Inputs & string)[] {
    return this.names.filter((name) => this.#isChanged(name, before, desired[name]));
  }

  #isChanged(name: keyof Inputs & string, { inputs, outputs }: Before<Inputs>, value: unknown): boolean {
    const { effect, whenRemoved } = this.row(name);
    if (value !== undefined) return isUnknown(value) || !this.#isEqual(name, value, outputs[name]);
    if (inputs[name] === undefined) return false;
    if (effect === 'none') return true;
    // After a failed update, state holds the old inputs and the new outputs. What the outputs lack is reset already.
    return whenRemoved !== undefined && !isEqual(whenRemoved, outputs[name] ?? whenRemoved);
  }

  /** The attributes of a create, with this name: everything that the program gives, except what is set last. */
  toCreateAttributes(inputs: Inputs, name: string | undefined): Attributes {
    const named = { ...inputs, ...(name !== undefined && { name }) };
    return this.toAttributes(reject(this.findGiven(named), this.isSetLast), named);
  }

  /** The attributes of an update: the named ones and no others. */
  toAttributes(names: readonly string[], inputs: Inputs): Attributes {
    const given = inputs as Properties;
    const parts = names.map((name): object | undefined => {
      const { attribute, write, whenRemoved } = this.row(name);
      const value = given[name] ?? whenRemoved;
      if (value === undefined) return {};
      return attribute === undefined ? write?.(value as never) : { [attribute]: value };
    });
    return merge({}, ...parts); // Several may be parts of one attribute.
  }

  /**
   * The arguments among these for which the service reports another value than the program gives.
   * @param names @default all that the program gives
   */
  findDrift(shown: Shown, inputs: Inputs, names: readonly string[] = this.findGiven(inputs)) {
    return names.filter(this.has).filter((name) => !this.#isAsDesired(shown, inputs, name));
  }

  /**
   * What a take-over changes.
   * @param origin `own`: an earlier create of this resource made it, so what the program leaves out is reset
   */
  findTakeOverChanges(shown: Shown, inputs: Inputs, origin: TakenOver): (keyof Inputs & string)[] {
    // The reverse of drift: what the service reports beyond the program's value is reset.
    const isLeftover = (name: keyof Inputs & string) =>
      this.isResettable(name) &&
      !this.isMatch(name, this.#read(name, shown), inputs[name] ?? this.row(name).whenRemoved);
    return union(this.findDrift(shown, inputs), origin === 'own' ? this.names.filter(isLeftover) : []);
  }

  /** Whether the service reports what the program gives, or the default of what it no longer gives. */
  #isAsDesired(shown: Shown, inputs: Inputs, name: keyof Inputs & string): boolean {
    const desired = inputs[name] ?? this.row(name).whenRemoved;
    if (!this.isReadable(name) || this.#isKept(name, shown) || desired === undefined) return true;
    return this.isMatch(name, desired, this.#read(name, shown));
  }

  /** Whether the service reports exactly this value; a drift also accepts further settings. */
  isReported(shown: Shown, values: Partial<Inputs>, name: string): boolean {
    if (!this.isReadable(name) || this.#isKept(name, shown)) return true;
    const [value, reported] = [(values as Properties)[name], this.#read(name, shown)];
    return value === reported || (this.isMatch(name, value, reported) && this.isMatch(name, reported, value));
  }

  #isEqual(name: string, left: unknown, right: unknown): boolean {
    const { equals } = this.row(name);
    return isEqual(left, right) || equals?.(left as never, right as never) === true;
  }

  /** Whether the service reports what is desired, or more. */
  isMatch(name: string, desired: unknown, reported: unknown): boolean {
    const { matches } = this.row(name);
    // A value that is to be removed is not reported.
    if (desired === null || reported === null) return (desired ?? null) === (reported ?? null);
    if (desired === undefined || reported === undefined) return false;
    return matches ? matches(desired as never, reported as never) : this.#isEqual(name, desired, reported);
  }

  #isKept(name: string, shown: Shown): boolean {
    const { keepsProgramValue: keeps = false } = this.row(name);
    return typeof keeps === 'function' ? keeps(shown) : keeps;
  }

  /** Whether only the state has it. */
  #isKeptAlone(name: string, shown: Shown): boolean {
    return this.#isKept(name, shown) && this.#read(name, shown) === undefined;
  }

  #read(name: string, shown: Shown): unknown {
    const { attribute, read } = this.row(name);
    return attribute === undefined ? read?.(shown) : shown[attribute];
  }

  /** What the service reports. Where that matches what the program gives, the program's value replaces it. */
  read(shown: Shown, desired: Partial<Inputs> = {}, names: readonly string[] = this.names): Partial<Inputs> {
    const given = desired as Properties;
    const values: Record<string, unknown> = {};
    for (const name of names) {
      const reported = this.#read(name, shown);
      if (reported === undefined) continue;
      const isGiven = given[name] !== undefined && this.#isKept(name, shown);
      values[name] = isGiven || this.isMatch(name, given[name], reported) ? given[name] : reported;
    }
    return values as Partial<Inputs>; // Each value is read under its own name.
  }

  /** What the program gave, with the values that the service reports now. */
  withReported(shown: Shown, inputs: Inputs): Inputs {
    return { ...inputs, ...this.read(shown, inputs, this.findGiven(inputs)) };
  }

  /**
   * The outputs after a refresh: what the service reports, and for what it does not report, the previous outputs. The inputs
   * would not do: after a failed update the engine stores the old ones.
   */
  refresh<Outputs extends Inputs & Unsettled>(
    shown: Shown,
    inputs: Inputs,
    before: Outputs,
    toOutputs: (inputs: Inputs) => Outputs,
  ): Outputs {
    const isUnreported = (name: string) =>
      unsettled.has(name) || (this.has(name) && (!this.isReadable(name) || this.#isKeptAlone(name, shown)));
    const known = keepProperties(inputs, (name) => !isUnreported(name)) as unknown as Inputs; // Only optional ones are left out.
    const due = before.__ledger?.due ?? before.__unapplied ?? [];
    // After an unfinished update, the stored inputs may lack what it has set, or what it has yet to reset.
    const isAsBefore = (name: keyof Inputs & string) =>
      due.includes(name)
        ? this.isReported(shown, before, name)
        : known[name] !== undefined && this.#isAsDesired(shown, before, name);
    const unchanged = this.names.filter((name) => before[name] !== undefined && isAsBefore(name));
    return { ...toOutputs(known), ...pick(before, unchanged), ...keepProperties(before, isUnreported) };
  }

  /** The outputs after a change of nothing but settings. */
  withSettings<Outputs extends Inputs>(outputs: Outputs, inputs: Inputs): Outputs {
    return { ...(omit(outputs, this.settings) as Outputs), ...inputs }; // The settings are optional; `omit` does not say so.
  }

  /** What a preview knows of the outputs after an update: what does not change stays known. */
  previewUpdate(prior: Before<Inputs>, inputs: Inputs): Partial<Inputs> {
    const removed = this.names.filter(
      (name) => inputs[name] === undefined && prior.inputs[name] !== undefined,
    );
    const defaults = removed.map((name) => [name, this.row(name).whenRemoved] as const);
    const reset = Object.fromEntries(defaults.filter(([, value]) => value !== undefined));
    return {
      ...omit(prior.outputs, unsettledOutputs, this.settings, Object.keys(reset)),
      ...omitBy(reset, isNull),
      ...inputs,
    };
  }
}
