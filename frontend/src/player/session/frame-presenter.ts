import type { SeenPictures, StepRecord } from "@/api/types";

/** A picture that can be drawn on a canvas and must be closed after use. */
export type Picture = Pick<ImageBitmap, "width" | "height" | "close">;

/** The images that the agent saw at a step, as one picture, and their arrangement in it. */
export interface Seen<P> {
  about: SeenPictures;
  picture: P;
  /** The step in which the agent saw it. */
  record: StepRecord;
}

/** The same, not decoded yet. */
export interface EncodedSeen {
  about: SeenPictures;
  data: Blob;
}

/** Content that is shown together: a record, its frame, and the images that the agent saw. */
export interface Shown<P extends Picture = ImageBitmap> {
  record: StepRecord;
  /** Null if nothing was rendered. */
  picture: P | null;
  /** The images of this step, or the last ones of this episode; null if there are none. */
  seen: Seen<P> | null;
}

export interface AnimationFrames {
  request(callback: () => void): number;
  cancel(id: number): void;
}

interface PresenterOptions<P extends Picture> {
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  /** Called within an animation frame. The picture is closed after the next one was presented. */
  present: (shown: Shown<P>) => void;
}

interface Job {
  record: StepRecord;
  data: Blob;
  seen: EncodedSeen | null;
}

/**
 * Brings each frame to the screen together with its record, in the same animation frame.
 *
 * The newest wins: while one frame is decoded only the latest of those that came meanwhile is kept. Records
 * without a frame are presented by themselves only as long as no frame has ever come, because otherwise what is
 * read beside a picture would run ahead of it.
 */
export class FramePresenter<P extends Picture> {
  /** The record that the next binary message belongs to. */
  private expected: StepRecord | null = null;
  private hasFrames = false;
  private decoding = false;
  private waiting: Job | null = null;
  private due: Shown<P> | null = null;
  private asked: number | null = null;
  private onScreen: Shown<P> | null = null;
  /** Incremented by `clear`, to drop frames that were being decoded. */
  private era = 0;

  constructor(private readonly options: PresenterOptions<P>) {}

  record(record: StepRecord, frameFollows: boolean) {
    this.expected = frameFollows ? record : null;
    if (!frameFollows && !this.hasFrames) this.show({ record, picture: null, seen: null });
  }

  /** Returns the record that the frame belongs to; null if none was announced. */
  frame(data: Blob, seen: EncodedSeen | null = null): StepRecord | null {
    const record = this.expected;
    this.expected = null;
    if (!record) return null;
    this.hasFrames = true;
    this.waiting = { record, data, seen };
    if (!this.decoding) void this.decodeWaiting();
    return record;
  }

  clear() {
    this.era += 1;
    this.expected = this.waiting = null;
    this.decoding = this.hasFrames = false;
    if (this.asked !== null) this.options.frames.cancel(this.asked);
    this.asked = null;
    close(this.due);
    this.due = null;
  }

  private async decodeWaiting() {
    const era = this.era;
    this.decoding = true;
    while (this.waiting) {
      const { record, data, seen }: Job = this.waiting;
      this.waiting = null;
      // A frame that cannot be decoded is skipped.
      const [picture, sheet] = await Promise.all([
        this.options.decode(data).catch(() => null),
        seen && this.options.decode(seen.data).catch(() => null),
      ]);
      const shown = {
        record,
        picture,
        seen: seen && sheet && { about: seen.about, picture: sheet, record },
      };
      if (era !== this.era) return close(shown);
      if (picture) this.show(shown);
      else close(shown);
    }
    this.decoding = false;
  }

  private show(shown: Shown<P>) {
    close(this.due);
    this.due = shown;
    this.asked ??= this.options.frames.request(() => {
      this.asked = null;
      const { due, onScreen } = this;
      this.due = null;
      if (!due) return;
      const held = onScreen?.record.episode === due.record.episode ? onScreen.seen : null;
      const next = { ...due, seen: due.seen ?? held };
      this.options.present(next);
      onScreen?.picture?.close();
      if (onScreen?.seen !== next.seen) onScreen?.seen?.picture.close();
      this.onScreen = next;
    });
  }
}

function close(shown: Shown<Picture> | null) {
  shown?.picture?.close();
  shown?.seen?.picture.close();
}
