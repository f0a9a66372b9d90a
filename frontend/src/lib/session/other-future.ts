import type { StepRecord } from "@/api/types";
import { createStore } from "../store";
import { type AnimationFrames, FramePresenter, type Picture, type Shown } from "./frame-presenter";

interface OtherFutureOptions<P extends Picture> {
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  /** The first step at which the futures differ was found; null: there is one future alone again. */
  onDiffers: (index: number | null) => void;
}

/** A second future beside the episode, from its first step until it is left: its frames, and where the two differ. */
export class OtherFuture<P extends Picture> {
  /** What is on screen of it; null while there is none. */
  readonly shown = createStore<Shown<P> | null>(null);
  private readonly presenter: FramePresenter<P>;
  private comparison: FutureComparison | null = null;

  constructor(private readonly options: OtherFutureOptions<P>) {
    this.presenter = new FramePresenter({
      decode: options.decode,
      frames: options.frames,
      present: (shown) => this.comparison && this.shown.set(shown),
    });
  }

  /** A step of it. */
  step(record: StepRecord, frameFollows: boolean) {
    this.comparison ??= new FutureComparison();
    this.compare(1, record);
    this.presenter.record(record, frameFollows);
  }

  /** A step of the episode. */
  beside(record: StepRecord) {
    this.compare(0, record);
  }

  frame(data: Blob) {
    this.presenter.frame(data, null);
  }

  leave() {
    if (!this.comparison) return;
    this.comparison = null;
    this.presenter.clear();
    this.shown.set(null);
    this.options.onDiffers(null);
  }

  private compare(line: 0 | 1, record: StepRecord) {
    const before = this.comparison?.differsAt ?? null;
    this.comparison?.add(line, record);
    const now = this.comparison?.differsAt ?? null;
    if (now !== before) this.options.onDiffers(now);
  }
}

/** Finds the first step at which two futures of an episode differ in what was seen, earned or ended. */
export class FutureComparison {
  private readonly lines = [new Map<number, StepRecord>(), new Map<number, StepRecord>()] as const;
  /** Index of that step; null while there is none. */
  differsAt: number | null = null;

  add(line: 0 | 1, record: StepRecord) {
    this.lines[line].set(record.index, record);
    const beside = this.lines[line === 0 ? 1 : 0].get(record.index);
    if (beside && this.differsAt === null && differ(record, beside)) this.differsAt = record.index;
  }
}

function differ(one: StepRecord, other: StepRecord): boolean {
  return facts(one) !== facts(other);
}

function facts({ observation, observation_hash, reward, terminated, truncated }: StepRecord) {
  return JSON.stringify([observation, observation_hash, reward, terminated, truncated]);
}
