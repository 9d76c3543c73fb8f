import type { Receiver } from '../records/journal';
import type { BranchRecord, ProjectRecord, Step } from '../records/records';

/** The Postgres servers behind the endpoints. Only an emulator with the option `postgres` has them. */
export interface DataPlane extends Receiver {
  readonly version: number;
  /** The port of every endpoint's host. */
  readonly port: number;
  readonly settingRules: {
    /** @throws ApiError (400) for `pg_settings` or libraries that a compute cannot have */
    checkAllowed(settings?: Readonly<Record<string, string>>, libraries?: readonly string[]): void;
    /** Rejects like that, also with Postgres's reason for a value that is invalid. */
    checkValues(settings?: Readonly<Record<string, string>>, libraries?: readonly string[]): Promise<void>;
  };
  readonly schemas: {
    /** @throws ApiError (501) if there is no program that reads schemas */
    check(): void;
    /** The statements that create what a database of the branch contains. */
    read(branch: BranchRecord, database: string): Promise<string>;
  };
  /** What must be done before the operation finishes, if anything. Rejects with the reason if it cannot be done. */
  work(project: ProjectRecord, step: Step): Promise<void> | undefined;
  connections(endpointId: string): number;
  /** Whether a client of the endpoint runs a query, has a transaction open, or waits for the server to start. */
  isQuerying(endpointId: string): Promise<boolean>;
}
