import { Deadline } from '../../provider/src/control-api/deadline';

export const minuteMs = 60_000;

/** A deadline that starts when its write leaves the queue. */
export const within = (durationMs: number) => new Deadline(durationMs, 'later');
export const tenMinutes = () => within(10 * minuteMs);
