import type { EmulatorOptions, EndpointAttributes, Fault } from 'postgres-control-emulator';
import type { ResourceType } from '../stack';

// A scenario is data: a program and commands, which the simulated engine and the real one run alike.

/** Each resource has branches of its own: two in the first project, and one in the second. */
export const places = ['first', 'second branch', 'second project'] as const;
export type Place = (typeof places)[number];

/** One resource of a program. */
export interface Declaration {
  /** Every name has one type in a scenario. @default 'ComputeEndpoint' */
  readonly type?: ResourceType;
  /**
   * Its arguments besides the place. An endpoint is `read_write` unless they give a type. A value may be
   * - `{ $secret: VALUE }`: a secret;
   * - `{ $ref: NAME }`: the output `id` of that resource; with `output` and `value`, that output, whose value is known;
   * - `{ $id: NAME }`: the id that the resource had in state when a program first gave it, as a text;
   * - `{ $place: PLACE }`: the id of the branch at that place of this resource, also within a value.
   */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Where an endpoint is, and the project of a Branch. @default 'first' */
  readonly place?: Place;
  /** The resource whose places it has. @default its own */
  readonly placesOf?: string;
  /** The names that the resource had before. */
  readonly aliases?: readonly string[];
  /** The resource option. */
  readonly dependsOn?: readonly string[];
  /** The resource option. @default false */
  readonly retainOnDelete?: boolean;
  /** The resource option: the endpoint of its branch, or one that does not exist. */
  readonly import?: 'its own' | 'missing';
  /** Sets the resource option `deleteBeforeReplace: false`. @default false */
  readonly createsBeforeDelete?: boolean;
  /** The resource option. @default none */
  readonly replaceOnChanges?: readonly string[];
  /** @default 600 */
  readonly timeoutSeconds?: number;
}

/** Resources by name. */
export type Program = Readonly<Record<string, Declaration>>;

/** What another client does to a Branch, or to the endpoint of a resource's branch. */
export interface Intrusion {
  readonly resource: string;
  /** Protects the Branch. */
  readonly protects?: boolean;
  /** Creates a branch from the Branch. */
  readonly branches?: boolean;
  /** Where `creates` puts its endpoint. @default the Branch, or the first place */
  readonly place?: Place;
  readonly deletes?: boolean;
  readonly changes?: EndpointAttributes;
  /** Creates an endpoint with these attributes. */
  readonly creates?: EndpointAttributes;
}

export interface AgreementStep {
  /** What the program declares from now on. @default the program of the step before */
  readonly program?: Program;
  readonly command:
    | 'up'
    | 'up --refresh'
    | 'preview'
    | 'preview --refresh'
    | 'refresh'
    | 'destroy'
    | 'destroy --refresh';
  /** `--replace` these resources. */
  readonly replace?: readonly string[];
  /** `--target-replace` these resources. */
  readonly targetReplace?: readonly string[];
  /** `--target` these resources. */
  readonly target?: readonly string[];
  /** `--exclude` these resources. */
  readonly exclude?: readonly string[];
  /** `--continue-on-error`. @default false */
  readonly continuesOnError?: boolean;
  /** `pulumi state taint` of these resources, before the command. */
  readonly taint?: readonly string[];
  readonly intrusions?: readonly Intrusion[];
  /** Faults of the service during the command. Any `projectId` stands for the second project. */
  readonly faults?: readonly Fault[];
}

export interface AgreementScenario {
  readonly name: string;
  readonly service?: EmulatorOptions;
  /**
   * The language of the program for the real CLI. After a failure with `--continue-on-error`, one in YAML ends, and the engine then
   * deletes nothing. @default 'yaml'
   */
  readonly language?: 'yaml' | 'nodejs';
  readonly steps: readonly AgreementStep[];
}
