import type { ServerMessage, StepRecord } from "@/api/types";
import type { AnimationFrames } from "./frame-presenter";
import type { SessionSocket } from "./session-client";

export const recordOf = (index: number, change: Partial<StepRecord> = {}): StepRecord => ({
  ...{ episode: 0, index, observation: [0, 0], observation_hash: null, action: 0 },
  ...{ actor: "policy", reward: 1, episode_return: index, terminated: false, truncated: false },
  ...{ elapsed_ms: 0, frame_hash: null, cell: null, reading: null, reward_components: null },
  ...change,
});

export const helloOf = (change: object = {}): ServerMessage =>
  ({
    ...{ type: "hello", mode: "watch", env_id: "CartPole-v1", run_id: "a", fps: 50 },
    ...{ actor: "policy", actors: ["policy", "random"], greedy: true },
    action_space: { kind: "Discrete", n: 2, labels: ["left", "right"] },
    observation_space: { kind: "Box", shape: [2], labels: ["x", "v"] },
    controls: {
      bindings: [
        { keys: ["ArrowLeft"], value: 0, component: 0, label: "left" },
        { keys: ["ArrowRight"], value: 1, component: 0, label: "right" },
      ],
      ...{ neutral: [null], is_continuous: false, rise_seconds: 0.25, fall_seconds: 0.15 },
    },
    ...change,
  }) as ServerMessage;

/** Animation frames that come when the test says so. */
export class FakeFrames implements AnimationFrames {
  private due = new Map<number, () => void>();
  private next = 1;

  request(callback: () => void): number {
    this.due.set(this.next, callback);
    return this.next++;
  }

  cancel(id: number) {
    this.due.delete(id);
  }

  run() {
    const due = [...this.due.values()];
    this.due.clear();
    for (const callback of due) callback();
  }
}

/** A socket whose other end is the test. */
export class FakeSocket implements SessionSocket {
  onmessage: ((event: MessageEvent<string | Blob>) => void) | null = null;
  onclose: (() => void) | null = null;
  closed = false;
  readonly sent: { type: string }[] = [];

  constructor(readonly path: string) {}

  send(data: string) {
    this.sent.push(JSON.parse(data) as { type: string });
  }

  close() {
    this.closed = true;
  }

  deliver(message: ServerMessage) {
    this.onmessage?.(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  tellStep(record: StepRecord, frame?: string, line: 0 | 1 = 0) {
    this.deliver({ type: "step", line, record, frame_follows: frame !== undefined, seen: null });
    if (frame !== undefined)
      this.onmessage?.(new MessageEvent("message", { data: new Blob([frame]) }));
  }

  /** A step with its frame and what the agent saw. */
  tellSeen(record: StepRecord, frame: string, seen: string) {
    const about = { pictures: 4, score: null };
    this.deliver({ type: "step", line: 0, record, frame_follows: true, seen: about });
    for (const data of [frame, seen])
      this.onmessage?.(new MessageEvent("message", { data: new Blob([data]) }));
  }

  drop() {
    this.onclose?.();
  }
}
