/** The JSON that the emulator sends to the console page. This file has no imports, so that the page's scripts can use its types. */

export interface ConsoleView {
  /** Changes with the content; the page sends it back to wait for the next change. */
  readonly version: string;
  /** The emulator's time in milliseconds since 1970. The browser's clock may differ. */
  readonly nowMs: number;
  /** Newest first. */
  readonly projects: readonly ProjectEntry[];
  /** The number of all projects; `projects` may omit the oldest. */
  readonly projectCount: number;
  /** The selected project, or the newest; null if there is none. */
  readonly project: ProjectView | null;
}

export interface ProjectEntry {
  readonly id: string;
  readonly name: string;
  readonly endpointCount: number;
  /** Operations that have not ended. */
  readonly unfinishedCount: number;
}

export interface ProjectView {
  readonly id: string;
  readonly name: string;
  readonly regionId: string;
  readonly pgVersion: number;
  readonly branchCount: number;
  /** Oldest first. */
  readonly endpoints: readonly EndpointView[];
  readonly endpointCount: number;
  /** Newest first. */
  readonly operations: readonly OperationView[];
  readonly operationCount: number;
}

export interface EndpointView {
  readonly id: string;
  readonly name: string | null;
  /** The branch's name. */
  readonly branch: string;
  readonly type: string;
  readonly minCu: number;
  readonly maxCu: number;
  /** -1 means never, 0 the service's default. */
  readonly suspendTimeoutSeconds: number;
  readonly lastActive: string | null;
  /** Connected clients; null in an emulator without Postgres. */
  readonly connections: number | null;
  /** The database and role of the connection string to copy; null in an emulator without Postgres, or without a database. */
  readonly login: { readonly database: string; readonly role: string } | null;
  /** The console's label. */
  readonly state: string;
  /** The label of the state it is moving to; null if its label does not change. */
  readonly nextState: string | null;
}

export interface OperationView {
  readonly id: string;
  readonly action: string;
  /** The branch's name, or its id if the branch no longer exists. */
  readonly branch: string;
  readonly endpointId: string | null;
  /** The console's label. */
  readonly status: string;
  readonly error: string | null;
  readonly createdAt: string;
  /** null while the operation waits for others. */
  readonly startedAt: string | null;
  /** From the start of the operation; null until it has ended. */
  readonly durationMs: number | null;
}
