import { Cron } from 'croner';

/** A recurring time in which computes may restart. */
export interface RestartWindow {
  /** When it opens: a cron expression. */
  readonly schedule: string;
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  readonly durationMinutes: number;
}

export function isOpen(window: RestartWindow, now: Date): boolean {
  const opened = nextOpening(window, new Date(now.getTime() - window.durationMinutes * 60_000));
  return opened !== null && opened <= now;
}

/** The first opening after that time, or null if there is none. @throws Error if the schedule or the time zone is invalid */
export function nextOpening({ schedule, timeZone }: RestartWindow, after: Date): Date | null {
  return new Cron(schedule, { timezone: timeZone }).nextRun(after);
}
