/** What the console page gets from the emulator and shows. It has no imports, so that the page's script can be checked against it. */

export interface ConsoleView {
  /** Changes with what there is to see; the page gives it back to hear of the next change. */
  readonly version: string;
  /** The emulator's time in milliseconds since 1970: the reader's clock may differ. */
  readonly nowMs: number;
  /** Newest first. */
  readonly projects: readonly ProjectEntry[];
  /** How many there are; `projects` may leave the oldest out. */
  readonly projectCount: number;
  /** The project requested for, else the newest; null when there is none. */
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
  /** In the order of creation. */
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
  /** In the console's words. */
  readonly state: string;
  /** The state it is moving to, in the console's words; null when it stays as it is. */
  readonly nextState: string | null;
}

export interface OperationView {
  readonly id: string;
  readonly action: string;
  /** The branch's name; its id when the branch is gone. */
  readonly branch: string;
  readonly endpointId: string | null;
  /** In the console's words. */
  readonly status: string;
  readonly error: string | null;
  readonly createdAt: string;
  /** null until it has ended. */
  readonly durationMs: number | null;
}
