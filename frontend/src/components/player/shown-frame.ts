import { frameAt } from "./frames";

/** The part of a video element that tells which frame is on the screen; not every browser has it. */
export type FrameTeller = Partial<
  Pick<HTMLVideoElement, "requestVideoFrameCallback" | "cancelVideoFrameCallback">
>;

/** Seconds of the video. Further from the clock it is not what is shown, but what was shown before a jump. */
const FURTHEST = 0.25;

/** What is left of a frame, as a share of it, when the clock is ahead of it. */
const LEFT_IN_FRAME = 0.01;

/**
 * Follows which frame of a video is on the screen. The video's clock cannot tell: while the machine is busy, it runs
 * some frames ahead of the picture.
 */
export class ShownFrame {
  private frame: number | null = null;
  private request: number | undefined;

  /** `onChange` is called whenever another frame is shown. */
  constructor(
    private readonly media: FrameTeller,
    private readonly fps: number,
    private readonly onChange: () => void,
  ) {
    this.listen();
  }

  /** The time `now` of the video's clock, moved into the frame that is on the screen. In seconds. */
  timeOnScreen(now: number, rate: number): number {
    if (this.frame === null || this.fps <= 0) return now;
    const start = this.frame / this.fps;
    if (frameAt(now, this.fps) === this.frame) return now;
    if (Math.abs(now - start) > FURTHEST * Math.max(1, rate)) return now;
    return now < start ? start : (this.frame + 1 - LEFT_IN_FRAME) / this.fps;
  }

  stop(): void {
    if (this.request !== undefined) this.media.cancelVideoFrameCallback?.(this.request);
  }

  private listen() {
    this.request = this.media.requestVideoFrameCallback?.((_, { mediaTime }) => {
      this.frame = Math.round(mediaTime * this.fps);
      this.listen();
      this.onChange();
    });
  }
}
