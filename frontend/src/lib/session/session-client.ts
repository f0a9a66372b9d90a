import type { Actor, ClientMessage, LiveSlice, ServerMessage, StepRecord } from "@/api/types";
import { createStore, type ReadableStore } from "../store";
import { EpisodeTrace } from "./episode-trace";
import { FramePresenter, type Picture, type Shown } from "./frame-presenter";
import { OtherFuture } from "./other-future";
import { SessionConnection } from "./session-connection";
import type { Moment, SessionClientOptions } from "./session-options";
import { AT_REST, type Chosen, type SessionState } from "./session-state";
import { BinaryAssembler } from "./step-binaries";

/**
 * A client of one session: what can be asked of it, and what is known of it. `session-connection.ts` has the
 * socket, and `frame-presenter.ts` decides which frame is shown. This class holds the current and the previous
 * episode.
 */
export class SessionClient<P extends Picture = ImageBitmap> {
  private readonly stateStore = createStore<SessionState>(AT_REST);
  private readonly momentStore = createStore<Moment<P> | null>(null);
  private readonly newestStore = createStore<StepRecord | null>(null);
  private readonly sliceStore = createStore<LiveSlice | null>(null);
  private readonly lastStore = createStore<EpisodeTrace | null>(null);
  private readonly connection: SessionConnection<P>;
  private readonly presenter: FramePresenter<P>;
  private readonly otherFuture: OtherFuture<P>;
  /** Whether the step that was announced last, whose frame follows, is of the other future. */
  private ofOther = false;
  private trace = new EpisodeTrace(0);
  private readonly binaries = new BinaryAssembler();
  /** The user's choices, sent again to the session that replaces a lost one. */
  private readonly chosen = new Map<Chosen, ClientMessage>();

  constructor(private readonly options: SessionClientOptions<P>) {
    this.connection = new SessionConnection(options, {
      onPhase: (phase) => this.set({ phase }),
      onAsk: () => this.set({ refusal: null, cause: null, complaint: null }),
      onRefused: (refusal) => this.set({ refusal }),
      onMessage: (message) => this.take(message),
      onFrame: (data) => this.takeFrame(data),
      onClose: () => {
        this.presenter.clear();
        this.otherFuture.leave();
      },
    });
    this.presenter = new FramePresenter({
      decode: options.decode,
      frames: options.frames,
      present: (shown) =>
        this.momentStore.set({
          ...shown,
          trace: this.traceOf(shown.record),
          shownAt: options.now(),
        }),
    });
    const onDiffers = (differsAt: number | null) => this.set({ differsAt });
    this.otherFuture = new OtherFuture({ ...options, onDiffers });
    this.other = this.otherFuture.shown;
  }

  readonly state: ReadableStore<SessionState> = this.stateStore;
  readonly moment: ReadableStore<Moment<P> | null> = this.momentStore;
  /** The newest step received, whether or not its frame is on screen yet. */
  readonly newest: ReadableStore<StepRecord | null> = this.newestStore;
  /** The previous episode; null during the first. */
  readonly lastEpisode: ReadableStore<EpisodeTrace | null> = this.lastStore;

  /** What is on screen of the other future; null while there is none. */
  readonly other: ReadableStore<Shown<P> | null>;

  /** The newest value slice; null while none is asked for. */
  readonly slice: ReadableStore<LiveSlice | null> = this.sliceStore;

  readonly start = () => this.connection.dispatch("start");
  readonly stop = () => this.connection.dispatch("stop");
  readonly again = () => this.connection.dispatch("again");
  /** Reconnects at once, for when the network has come back. */
  readonly retryNow = () => this.connection.dispatch("networkBack");

  readonly play = () => {
    this.chosen.delete("pause");
    this.set({ playing: true });
    this.send({ type: "play" });
  };

  readonly pause = () => this.choose("pause", { type: "pause" }, { playing: false });

  /** Pauses, and takes one step. */
  readonly forward = () => this.stepBy({ type: "step" });

  /** Pauses, and goes one step back. */
  readonly back = () => this.stepBy({ type: "back" });

  /** Pauses, and begins another future with an action; null: goes on with the episode alone. */
  readonly part = (value: unknown) => this.stepBy({ type: "part", value });

  /** Sets who acts. */
  readonly setActor = (actor: Actor) => this.choose("actor", { type: "actor", actor }, { actor });

  readonly reset = (seed?: number) => this.send({ type: "reset", seed: seed ?? null });

  readonly setGreedy = (on: boolean) =>
    this.choose("greedy", { type: "greedy", on }, { greedy: on });

  /** Sets the steps per second. */
  readonly setRate = (fps: number) => this.choose("rate", { type: "rate", fps }, { fps });

  /** Whether frames come with what the agent saw, and with which of its pixels mattered. */
  readonly showSeen = (on: boolean, saliency = false) =>
    this.choose("seen", { type: "seen", on, saliency });

  /** Asks for value slices over two components, with others held at a value; null: no more. */
  readonly showSlice = (over: [number, number] | null, hold: [number, number][] = []) => {
    if (String(this.sliceStore.get()?.over) !== String(over)) this.sliceStore.set(null);
    this.choose("slice", { type: "slice", over, ...(hold.length > 0 && { hold }) });
  };

  /** Sends a message to the session, if it is live; otherwise does nothing. */
  send(message: ClientMessage) {
    this.connection.send(message);
  }

  private stepBy(message: ClientMessage) {
    this.set({ playing: false });
    this.send(message);
  }

  /** `change` is shown at once, before the session confirms it. */
  private choose(kind: Chosen, message: ClientMessage, change: Partial<SessionState> = {}) {
    this.set(change);
    this.chosen.set(kind, message);
    this.send(message);
  }

  private take(message: ServerMessage) {
    switch (message.type) {
      case "hello": {
        this.presenter.clear();
        this.binaries.announce(null);
        this.otherFuture.leave();
        const { fps, actor, greedy } = message;
        this.set({
          hello: message,
          fps,
          actor,
          greedy,
          playing: true,
          policy: null,
          recorded: null,
        });
        this.connection.dispatch("greeted");
        for (const choice of this.chosen.values()) this.send(choice);
        return;
      }
      case "step":
        this.ofOther = message.line === 1;
        if (this.ofOther) {
          this.binaries.announce(null);
          return this.otherFuture.step(message.record, message.frame_follows);
        }
        this.otherFuture.beside(message.record);
        if (message.record.episode !== this.trace.episode) this.begin(message.record.episode);
        this.trace.add(message.record);
        this.newestStore.set(message.record);
        this.binaries.announce(message.frame_follows ? message.seen : null);
        return this.presenter.record(message.record, message.frame_follows);
      case "slice":
        return this.sliceStore.set(message);
      case "episode":
        this.set({ seed: message.seed });
        return this.begin(message.episode);
      case "policy":
        return this.set({ policy: { step: message.step, since: this.options.now() } });
      case "state": {
        const { playing, fps, actor, greedy, parted_at: partedAt } = message;
        if (partedAt === null) this.otherFuture.leave();
        return this.set({ playing, fps, actor, greedy, partedAt, complaint: null });
      }
      case "recorded":
        return this.set({ recorded: { runId: message.run_id, episodes: message.episodes } });
      case "error":
        return this.set({ complaint: message.detail });
      case "ended":
        this.set({ cause: message.cause });
        return this.connection.dispatch("ended");
    }
  }

  private takeFrame(data: Blob) {
    if (this.ofOther) return this.otherFuture.frame(data);
    const whole = this.binaries.take(data);
    const record = whole && this.presenter.frame(whole.frame, whole.seen);
    if (record) this.trace.keepFrame(record.index, whole.frame, whole.seen);
  }

  /** A frame may be presented after the next episode has begun. */
  private traceOf({ episode }: StepRecord): EpisodeTrace {
    const last = this.lastEpisode.get();
    return last?.episode === episode ? last : this.trace;
  }

  private begin(episode: number) {
    if (this.trace.isOver) this.lastStore.set(this.trace);
    this.trace = new EpisodeTrace(episode);
  }

  private set(change: Partial<SessionState>) {
    this.stateStore.set({ ...this.state.get(), ...change });
  }
}
