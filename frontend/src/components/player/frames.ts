/** A seek, or the sum of many steps, may end slightly before the intended frame. */
const SLACK_FRAMES = 1e-3;

/** Index of the frame on screen at `time` seconds. */
export function frameAt(time: number, fps: number): number {
  return Math.max(0, Math.floor(time * fps + SLACK_FRAMES));
}

/** The middle of a frame in seconds. A seek there shows this frame, whichever way the browser rounds. */
export function middleOf(frame: number, fps: number): number {
  return fps > 0 ? (Math.max(0, frame) + 0.5) / fps : 0;
}

/** `83.456` → `1:23.4`. Rounds down, so that the end is not shown before it is reached. */
export function timecode(seconds: number): string {
  const tenths = Math.max(0, Math.floor(seconds * 10 + SLACK_FRAMES));
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
}
