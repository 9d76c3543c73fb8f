import { upperFirst } from 'lodash';
import * as z from 'zod';
import type { ControlApi } from '../control-api/control-api';
import type { Deadline } from '../control-api/deadline';
import type { NamedPath } from '../control-api/named-api';
import type { NamedAttributes, NamedChange, NamedKind } from '../control-api/wire-types';
import type { ArgumentTable } from '../lifecycle/argument-table';
import type { Loss } from '../lifecycle/data-loss';
import { findShapeFailures, flag, id, unknownValue } from '../lifecycle/input-values';
import type { Properties } from '../lifecycle/resource-identity';
import { type Prior, toOutputNames, type Unsettled } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import type { NamedItem } from '../operations/service-project';

/** The arguments that a role and a database share. */
export type NamedInputs = NamedPath & { readonly adopt?: boolean };

/** The outputs in state. */
export type NamedOutputs<Inputs extends NamedInputs = NamedInputs> = Inputs &
  Unsettled & {
    readonly createdAt: string;
    readonly password?: string;
    readonly __number?: number;
    readonly __schemaVersion: number;
  };

export type PriorNamed<Inputs extends NamedInputs> = Prior<Inputs, NamedOutputs<Inputs>>;

/** What differs between a role and a database. Everything else is the same for both. */
interface Definition<Inputs extends NamedInputs> {
  readonly kind: NamedKind;
  /** What each argument may hold. */
  readonly shape: Readonly<Record<keyof Inputs, z.ZodType>>;
  /** What the required arguments are for, besides those of each type. @default none */
  readonly required?: Readonly<Record<string, string>>;
  readonly arguments: ArgumentTable<Inputs, NamedItem, NamedAttributes, string>;
  /** The arguments that an update sends. Each starts an apply_config; sending the first one again repeats it after a failure. */
  readonly sent: readonly (keyof Inputs & string)[];
  readonly send: (
    api: ControlApi,
    at: NamedPath,
    attributes: NamedAttributes,
    deadline: Deadline,
  ) => Promise<NamedChange>;
  /** The argument that names a role of the branch, without which nothing can be created. @default none */
  readonly role?: keyof Inputs & string;
  /** What the preview reports about a change, by the argument that is sent. @default nothing */
  readonly changes?: Readonly<Record<string, string>>;
  /** What the preview reports about a create on a branch that exists. @default nothing */
  readonly creation?: string;
  /** What a replacement does besides the delete, where no change shows it. */
  readonly forced: string;
  /** Describes a resource that is created again, such as after a reset of its branch: `empty`. */
  readonly again: string;
  /** What to do when the service refuses a delete (422). @default nothing */
  readonly refusal?: string;
  /** What a replacement deletes. @default nothing that the program has to allow */
  readonly loss?: Loss;
  /** The password: only a separate read and the response to the request that sets it show it. @default none */
  readonly password?: {
    readonly read: (api: ControlApi, at: NamedPath, deadline?: Deadline) => Promise<string | undefined>;
    /** What `up` reports if the service does not show it. */
    readonly absence: string;
  };
}

export interface NamedType<Inputs extends NamedInputs> extends Definition<Inputs> {
  readonly type: ResourceType;
  /** The outputs that are not arguments. */
  readonly further: readonly string[];
  /** The outputs that are unknown in a preview that creates or changes them, such as a name that an update may change: lookups use it. */
  readonly unforeseen: readonly string[];
  /** The outputs of the class. */
  readonly classOutputs: readonly string[];
}

/** The arguments that a path consists of, and the take-over. */
export const namedRows = {
  projectId: { effect: 'replace', read: ({ project_id }: NamedItem) => project_id },
  branchId: { effect: 'replace', read: ({ branch_id }: NamedItem) => branch_id },
  name: { effect: 'replace', attribute: 'name' },
  adopt: { effect: 'none' },
} as const;

/** What those arguments may hold. @param reserved the names that Postgres and the service reserve */
export function toNamedShape(reserved: { readonly pattern: RegExp; readonly names: string }) {
  return {
    projectId: id('project'),
    branchId: id('branch'),
    name: postgresName.refine(
      (name) => !reserved.pattern.test(name),
      `must not be a name that the service or Postgres reserves: ${reserved.names}`,
    ),
    adopt: flag,
  };
}

/** Postgres counts bytes. */
const longestName = 63;
const length = `must be 1 to ${longestName} bytes`;
export const postgresName = z
  .string(length)
  .refine((name) => name !== '' && Buffer.byteLength(name) <= longestName && !name.includes('\0'), length)
  .refine(
    (name) => name !== '.' && name !== '..',
    'must be neither . nor .., which no path of the service can name',
  );

/** Adds what the general parts of the provider need to know. */
export function defineNamed<Inputs extends NamedInputs>(named: Definition<Inputs>): NamedType<Inputs> {
  const { kind, arguments: table, shape, password } = named;
  const required = {
    projectId: 'names the project that the branch belongs to',
    branchId: `names the branch that has the ${kind}`,
    name: `is the name of the ${kind} in Postgres`,
    ...named.required,
  };
  const secretOutputs = password ? ['password'] : [];
  const further = [...secretOutputs, 'createdAt'];
  const unforeseen = table.replacing.includes('name') ? further : [...further, 'name'];
  const readable = table.names.filter((name) => table.isReadable(name));
  return {
    ...named,
    further,
    unforeseen,
    classOutputs: [...readable, ...further, 'unsettledOperations'],
    type: {
      kind,
      path: 'PROJECT/BRANCH/NAME, such as cool-lake-12345678/br-calm-sky-87654321/app',
      idIsPath: true,
      argumentNames: table.names,
      replacingArguments: table.replacing,
      outputNames: toOutputNames(table.names, [...further, '__number']),
      secretOutputs,
      namesWithin: ['projectId', 'branchId'],
      findInputFailures: (given) =>
        findShapeFailures({ of: `a ${upperFirst(kind)}`, shape, required }, given),
      previewCreate: (inputs: Properties) => ({ ...inputs, ...toUnknown(unforeseen) }),
      previewUpdate: (prior: PriorNamed<Inputs>, inputs: Inputs) => table.previewUpdate(prior, inputs),
    },
  };
}

export function toUnknown(names: readonly string[]): Properties {
  return Object.fromEntries(names.map((name) => [name, unknownValue]));
}
