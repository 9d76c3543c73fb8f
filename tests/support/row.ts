import type {
  EmulatorOptions,
  EndpointAttributes,
  Fault,
  NewEndpointAttributes,
} from 'postgres-control-emulator';
import type { EndpointInputs } from '../../provider/src/endpoint/endpoint-inputs';

// A test of faults as data: what the service does, what the user runs one after another, and what is true in the end.

export interface Moment {
  /**
   * A request that the service has just done the work of, such as `PATCH endpoint`, `POST endpoints` or `POST suspend`.
   * @default the start of the command
   */
  readonly after?: string;
  /** So much later. Milliseconds. @default 0 */
  readonly ms?: number;
}

/** What other people do to the endpoint, or the service by itself. */
export type Deed = {
  readonly at?: Moment;
} & ( // An endpoint of their own, on the branch of the program, a year ago.
  | { readonly does: 'create'; readonly endpoint: Omit<NewEndpointAttributes, 'branch_id'> }
  | { readonly does: 'change'; readonly to: EndpointAttributes }
  | { readonly does: 'delete' | 'suspend' | 'start' | 'connect' }
  | { readonly does: 'patch'; readonly body: EndpointAttributes }
  | { readonly does: 'lock'; readonly forMs: number }
);

/** One command of the user. */
export interface Round {
  /** `replace` is `pulumi up --replace`. @default 'up' */
  readonly command?: 'up' | 'preview' | 'replace' | 'refresh' | 'destroy';
  /** How long nothing happens before it. Milliseconds. @default 0 */
  readonly idleMs?: number;
  /**
   * What the program gives, besides a size of 0.25 to 1 CU on an empty branch; the branch `other` is empty, too.
   * @default what it gave in the round before
   */
  readonly program?: Partial<Record<keyof EndpointInputs, unknown>>;
  /** The arguments that the program marks as secrets. */
  readonly secrets?: readonly (keyof EndpointInputs)[];
  /** The settings in the stack's config, by their bare names. */
  readonly config?: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number;
  /** Until the next round. */
  readonly faults?: readonly Fault[];
  /** Before the command, each with 10 s for its operations, or during it. */
  readonly others?: readonly Deed[];
  /** A killed run leaves nothing in state; an interrupted one, what it knows. */
  readonly cutOff?: Moment & { readonly how: 'killed' | 'interrupted' };
  /** Part of the failure that it reports. Without it, it has to succeed. */
  readonly message?: string | RegExp;
  /** Parts of what it shows besides. */
  readonly shows?: readonly (string | RegExp)[];
  /** What it never shows, neither in the failure nor besides. */
  readonly hides?: RegExp;
  /** How long it takes at most. Milliseconds. */
  readonly withinMs?: number;
}

export interface Row {
  readonly title: string;
  /** How the emulator behaves. An operation takes 1 s. */
  readonly service?: EmulatorOptions;
  readonly rounds: readonly Round[];
  readonly expect: {
    /** How often the connections of the compute dropped, in all. */
    readonly drops: number;
    /** What the service has in the end, in part; `'nothing'` when it has no endpoint. @default an active compute */
    readonly state?: object | 'nothing';
    /** How many requests of these kinds the last round sent. */
    readonly requests?: Readonly<Record<string, number>>;
  };
}
