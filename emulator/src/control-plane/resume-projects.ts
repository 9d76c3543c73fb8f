import { parseTimestamp } from '../records/clock';
import type { ProjectRecord } from '../records/records';
import type { ControlPlane } from './control-plane';

/**
 * Resumes the projects of an earlier process. Unfinished operations run again from the beginning, because the progress of
 * a killed process is unknown. Autosuspend delays restart.
 */
export function resumeProjects(plane: ControlPlane, projects: readonly ProjectRecord[]): void {
  for (const project of projects) {
    if (plane.dataPlane) project.wire.pg_version = plane.dataPlane.version;
    plane.store.projects.set(project.wire.id, project);
    plane.history.startWith(project);
    plane.clock.startAfter(latestMicros(project));
  }
  for (const project of projects) {
    plane.runner.resume(project);
    for (const endpoint of project.endpoints.values()) plane.autosuspend.arm(project, endpoint);
  }
}

/** The latest time in a project's records, in microseconds since 1970. */
function latestMicros({ wire, branches, endpoints, operations }: ProjectRecord): number {
  const parts = [...branches.values(), ...endpoints.values(), ...operations];
  const records = [wire, ...parts.map((part) => part.wire)];
  return records.reduce((latest, record) => Math.max(latest, parseTimestamp(record.updated_at) ?? 0), 0);
}
