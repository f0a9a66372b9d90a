import type { StepRecord } from "@/api/types";
import type { EncodedSeen } from "./frame-presenter";

/** Maximum number of steps kept of an episode; older ones are dropped. */
export const MOST_RECORDS = 5_000;

/** Maximum bytes of frames and seen images kept of an episode; older ones are dropped. */
const MOST_BYTES = 12_000_000;

/** The received data of one episode: records by index, and encoded frames by index. */
export class EpisodeTrace {
  private held: StepRecord[] = [];
  private readonly frames = new Map<number, { data: Blob; seen: EncodedSeen | null }>();
  private bytes = 0;

  constructor(readonly episode: number) {}

  get records(): readonly StepRecord[] {
    return this.held;
  }

  /** Whether its last step was received. */
  get isOver(): boolean {
    const last = this.held.at(-1);
    return last !== undefined && (last.terminated || last.truncated);
  }

  /** Adds a record. After a step back, the next record replaces the later ones. */
  add(record: StepRecord) {
    if ((this.held.at(-1)?.index ?? -1) >= record.index) {
      this.held = this.held.filter(({ index }) => index < record.index);
      for (const index of [...this.frames.keys()]) if (index >= record.index) this.forget(index);
    }
    this.held.push(record);
    if (this.held.length > MOST_RECORDS * 1.1) this.held = this.held.slice(-MOST_RECORDS);
  }

  keepFrame(index: number, data: Blob, seen: EncodedSeen | null = null) {
    this.forget(index);
    this.frames.set(index, { data, seen });
    this.bytes += data.size + (seen?.data.size ?? 0);
    for (const oldest of this.frames.keys()) {
      if (this.bytes <= MOST_BYTES) break;
      this.forget(oldest);
    }
  }

  frame(index: number): Blob | null {
    return this.frames.get(index)?.data ?? null;
  }

  /** The images that the agent saw, if they were requested then. */
  seen(index: number): EncodedSeen | null {
    return this.frames.get(index)?.seen ?? null;
  }

  recordAt(index: number): StepRecord | null {
    const first = this.held[0]?.index ?? 0;
    const there = this.held[index - first];
    if (there?.index === index) return there;
    return this.held.find((record) => record.index === index) ?? null;
  }

  private forget(index: number) {
    const kept = this.frames.get(index);
    this.bytes -= (kept?.data.size ?? 0) + (kept?.seen?.data.size ?? 0);
    this.frames.delete(index);
  }
}
