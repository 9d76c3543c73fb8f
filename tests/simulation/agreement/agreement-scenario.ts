import type { EmulatorOptions, EndpointAttributes, Fault } from 'postgres-control-emulator';

// A scenario is data: a program and commands, which the simulated engine and the real one run alike.

/** Each resource has branches of its own: two in the first project, and one in the second. */
export const places = ['first', 'second branch', 'second project'] as const;
export type Place = (typeof places)[number];

/** One ComputeEndpoint of a program. */
export interface Declaration {
  /** Its arguments besides the place, with `{ $secret: VALUE }` for a secret. The type is `read_write` unless given. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** @default 'first' */
  readonly place?: Place;
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

/** What another client does to the endpoint of a resource's branch. */
export interface Intrusion {
  readonly resource: string;
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
  /** `pulumi state taint` of these resources, before the command. */
  readonly taint?: readonly string[];
  readonly intrusions?: readonly Intrusion[];
  /** Faults of the service during the command. Any `projectId` stands for the second project. */
  readonly faults?: readonly Fault[];
}

export interface AgreementScenario {
  readonly name: string;
  readonly service?: EmulatorOptions;
  /** The resource that the others depend on: their `poolerMode` is an output of it. */
  readonly dependedOn?: string;
  readonly steps: readonly AgreementStep[];
}
