import type { SeenPictures } from "@/api/types";
import type { EncodedSeen } from "./frame-presenter";

/** A frame, and what the agent saw if that was announced with it. */
export interface StepBinaries {
  frame: Blob;
  seen: EncodedSeen | null;
}

/** Puts the binary messages that follow a step together: its frame, and after it what the agent saw. */
export class BinaryAssembler {
  private awaited: SeenPictures | null = null;
  private frame: Blob | null = null;

  /** A step was announced; null: only its frame follows, if anything. */
  announce(seen: SeenPictures | null) {
    this.awaited = seen;
    this.frame = null;
  }

  /** What belongs together, once all of it has come. */
  take(data: Blob): StepBinaries | null {
    const { awaited, frame } = this;
    if (!awaited) return { frame: data, seen: null };
    if (!frame) {
      this.frame = data;
      return null;
    }
    this.announce(null);
    return { frame, seen: { about: awaited, data } };
  }
}
