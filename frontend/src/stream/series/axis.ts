/** The possible x axes. Time is in seconds of training, without the pauses between attempts. */
export const AXES = ["step", "episode", "time"] as const;

export type MetricAxis = (typeof AXES)[number];

/** The service's names of the axes; its `time` is the time of day. */
export const SERVICE_AXES = { step: "step", episode: "episode", time: "seconds" } as const;

/** A part of an axis, in its units. */
export type AxisWindow = readonly [from: number, to: number];

export function width([from, to]: AxisWindow): number {
  return to - from;
}

export function covers(outer: AxisWindow, inner: AxisWindow): boolean {
  return outer[0] <= inner[0] && outer[1] >= inner[1];
}

/** The window and `share` of its width on either side. */
export function padded(window: AxisWindow, share: number): AxisWindow {
  const room = width(window) * share;
  return [window[0] - room, window[1] + room];
}
