import {
  ApiError,
  type Actor,
  type ClientMessage,
  type LiveSlice,
  type ServerMessage,
  type StepRecord,
} from "@/lib/api";
import { createStore, type ReadableStore } from "@/lib/store";
import { backoff } from "@/lib/time/backoff";
import { EpisodeTrace } from "./episode-trace";
import { OtherFuture } from "./other-future";
import { FramePresenter, type Picture, type Shown } from "./frame-presenter";
import { BinaryAssembler } from "./step-binaries";
import type { Moment, SessionClientOptions, SessionSocket } from "./session-options";
import { AT_REST, type Chosen, type SessionState } from "./session-state";
import {
  type Connection,
  type ConnectionEvent,
  type Effect,
  INITIAL,
  transition,
} from "./session-machine";

/**
 * A client of one session. `session-machine.ts` decides when it is requested, opened, reconnected and given
 * up, `lib/time/backoff.ts` after which delay, and `frame-presenter.ts` which frame is shown. This class owns
 * the socket and the timer, and holds the current and the previous episode.
 */
export class SessionClient<P extends Picture = ImageBitmap> {
  private readonly stateStore = createStore<SessionState>(AT_REST);
  private readonly momentStore = createStore<Moment<P> | null>(null);
  private readonly newestStore = createStore<StepRecord | null>(null);
  private readonly sliceStore = createStore<LiveSlice | null>(null);
  private readonly lastStore = createStore<EpisodeTrace | null>(null);
  private readonly presenter: FramePresenter<P>;
  private readonly otherFuture: OtherFuture<P>;
  /** Whether the step that was announced last, whose frame follows, is of the other future. */
  private ofOther = false;
  private connection: Connection = INITIAL;
  private socket: SessionSocket | null = null;
  private path: string | null = null;
  private asking: AbortController | null = null;
  private timer: number | null = null;
  private trace = new EpisodeTrace(0);
  private readonly binaries = new BinaryAssembler();
  /** The user's choices, sent again to the session that replaces a lost one. */
  private readonly chosen = new Map<Chosen, ClientMessage>();

  constructor(private readonly options: SessionClientOptions<P>) {
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

  readonly start = () => this.dispatch("start");
  readonly stop = () => this.dispatch("stop");
  readonly again = () => this.dispatch("again");
  /** Reconnects at once, for when the network has come back. */
  readonly retryNow = () => this.dispatch("networkBack");

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
    if (this.connection.phase === "live") this.socket?.send(JSON.stringify(message));
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

  private dispatch(event: ConnectionEvent) {
    const { next, effects } = transition(this.connection, event);
    this.connection = next;
    for (const effect of effects) this.perform(effect);
    if (this.state.get().phase !== next.phase) this.set({ phase: next.phase });
  }

  private perform(effect: Effect) {
    switch (effect.kind) {
      case "ask":
        this.set({ refusal: null, cause: null, complaint: null });
        return void this.ask();
      case "connect":
        return this.listenTo(this.options.connect(this.path!));
      case "close":
        return this.close();
      case "schedule":
        this.timer = this.options.timers.set(
          () => this.dispatch("timerDue"),
          backoff(effect.attempt, this.options.random),
        );
    }
  }

  private async ask() {
    const asking = (this.asking = new AbortController());
    try {
      const path = await this.options.create(asking.signal);
      if (asking.signal.aborted) return;
      this.path = path;
      this.dispatch("created");
    } catch (error) {
      if (asking.signal.aborted) return;
      if (!(error instanceof ApiError) || error.isUnreachable) return this.dispatch("unreachable");
      this.set({ refusal: error });
      this.dispatch("refused");
    }
  }

  private close() {
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
    this.asking?.abort();
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.presenter.clear();
    this.otherFuture.leave();
  }

  private listenTo(socket: SessionSocket) {
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
    this.socket = socket;
    // A socket that was closed may still deliver messages.
    socket.onclose = () => {
      if (this.socket === socket) this.dispatch("closed");
    };
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data === "string") this.take(JSON.parse(data) as ServerMessage);
      else this.takeFrame(data);
    };
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
        this.dispatch("greeted");
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
        return this.dispatch("ended");
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
