import type { StepRecord } from "@/lib/api";

/** Steps of an episode that are held at most; of a longer one the newest. */
export const MOST_RECORDS = 5_000;

/** Bytes of an episode's frames that are held at most; of more the newest. */
const MOST_BYTES = 12_000_000;

/** One episode as far as it was seen: records in the order of their index, and encoded frames by index. */
export class EpisodeTrace {
  private held: StepRecord[] = [];
  private readonly frames = new Map<number, Blob>();
  private bytes = 0;

  constructor(readonly episode: number) {}

  get records(): readonly StepRecord[] {
    return this.held;
  }

  /** Whether its last step has come. */
  get isOver(): boolean {
    const last = this.held.at(-1);
    return last !== undefined && (last.terminated || last.truncated);
  }

  /** A step that was taken back and taken again replaces what followed from it. */
  add(record: StepRecord) {
    if ((this.held.at(-1)?.index ?? -1) >= record.index) {
      this.held = this.held.filter(({ index }) => index < record.index);
      for (const index of [...this.frames.keys()]) if (index >= record.index) this.forget(index);
    }
    this.held.push(record);
    if (this.held.length > MOST_RECORDS * 1.1) this.held = this.held.slice(-MOST_RECORDS);
  }

  keepFrame(index: number, data: Blob) {
    this.forget(index);
    this.frames.set(index, data);
    this.bytes += data.size;
    for (const oldest of this.frames.keys()) {
      if (this.bytes <= MOST_BYTES) break;
      this.forget(oldest);
    }
  }

  frame(index: number): Blob | null {
    return this.frames.get(index) ?? null;
  }

  recordAt(index: number): StepRecord | null {
    const first = this.held[0]?.index ?? 0;
    const there = this.held[index - first];
    if (there?.index === index) return there;
    return this.held.find((record) => record.index === index) ?? null;
  }

  private forget(index: number) {
    this.bytes -= this.frames.get(index)?.size ?? 0;
    this.frames.delete(index);
  }
}
