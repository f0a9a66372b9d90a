import type { StepRecord } from "@/lib/api";

/** A picture that can be drawn on a canvas, and has to be released. */
export type Picture = Pick<ImageBitmap, "width" | "height" | "close">;

/** What is shown at one time: a record, and the frame that shows it. */
export interface Shown<P extends Picture = ImageBitmap> {
  record: StepRecord;
  /** null: nothing was rendered. */
  picture: P | null;
}

export interface AnimationFrames {
  request(callback: () => void): number;
  cancel(id: number): void;
}

interface PresenterOptions<P extends Picture> {
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  /** Called within an animation frame. The picture is released once the next one was presented. */
  present: (shown: Shown<P>) => void;
}

interface Job {
  record: StepRecord;
  data: Blob;
}

/**
 * Brings each frame to the screen together with its record, in the same animation frame.
 *
 * The newest wins: while one frame is decoded only the latest of those that came meanwhile is kept. Records
 * without a frame are presented by themselves only as long as no frame has ever come, because otherwise what is
 * read beside a picture would run ahead of it.
 */
export class FramePresenter<P extends Picture> {
  /** The record whose frame is the next binary message. */
  private expected: StepRecord | null = null;
  private hasFrames = false;
  private decoding = false;
  private waiting: Job | null = null;
  private due: Shown<P> | null = null;
  private asked: number | null = null;
  private onScreen: P | null = null;
  /** Distinguishes what was decoded before `clear` from what comes after. */
  private era = 0;

  constructor(private readonly options: PresenterOptions<P>) {}

  record(record: StepRecord, frameFollows: boolean) {
    this.expected = frameFollows ? record : null;
    if (!frameFollows && !this.hasFrames) this.show({ record, picture: null });
  }

  /** Returns the record that the frame belongs to; null if none was announced. */
  frame(data: Blob): StepRecord | null {
    const record = this.expected;
    this.expected = null;
    if (!record) return null;
    this.hasFrames = true;
    this.waiting = { record, data };
    if (!this.decoding) void this.decodeWaiting();
    return record;
  }

  clear() {
    this.era += 1;
    this.expected = this.waiting = null;
    this.decoding = this.hasFrames = false;
    if (this.asked !== null) this.options.frames.cancel(this.asked);
    this.asked = null;
    this.due?.picture?.close();
    this.due = null;
  }

  private async decodeWaiting() {
    const era = this.era;
    this.decoding = true;
    while (this.waiting) {
      const { record, data }: Job = this.waiting;
      this.waiting = null;
      // A frame that cannot be decoded is one that is not seen; the next may be whole.
      const picture = await this.options.decode(data).catch(() => null);
      if (era !== this.era) return picture?.close();
      if (picture) this.show({ record, picture });
    }
    this.decoding = false;
  }

  private show(shown: Shown<P>) {
    this.due?.picture?.close();
    this.due = shown;
    this.asked ??= this.options.frames.request(() => {
      this.asked = null;
      const { due } = this;
      this.due = null;
      if (!due) return;
      this.options.present(due);
      this.onScreen?.close();
      this.onScreen = due.picture;
    });
  }
}
