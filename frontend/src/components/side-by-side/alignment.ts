/** Seconds that are shown before the first difference. */
const LEAD_SECONDS = 1;

/** How two episodes are played so that they come to their first difference at the same time. */
export interface Alignment {
  /** Step of both episodes at which playing begins. */
  from: number;
  /** Step whose state both still share, and on which they choose different actions; null: they act alike. */
  decision: number | null;
}

/** `difference`: index of the first record whose action differs, or null. */
export function align(difference: number | null, fps: number): Alignment {
  if (difference === null) return { from: 0, decision: null };
  const decision = difference - 1;
  return { from: Math.max(0, decision - Math.round(LEAD_SECONDS * fps)), decision };
}

/** The part of an evaluation's video that shows an episode from a step on: its start and duration in seconds. */
export function partOf(
  { first_frame, episode_length }: { first_frame: number; episode_length: number },
  from: number,
  fps: number,
): { start: number; duration: number } {
  // It ends in the middle of the last frame: the next one belongs to another episode.
  return { start: (first_frame + from) / fps, duration: (episode_length - from + 0.5) / fps };
}
