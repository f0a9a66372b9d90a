import {
  ApiError,
  type Actor,
  type ClientMessage,
  type ServerMessage,
  type StepRecord,
} from "@/lib/api";
import { createStore, type ReadableStore } from "@/lib/store";
import { backoff, type Timers } from "@/lib/stream";
import { EpisodeTrace } from "./episode-trace";
import { type AnimationFrames, FramePresenter, type Picture, type Shown } from "./frame-presenter";
import { AT_REST, type Chosen, type SessionState } from "./session-state";
import {
  type Connection,
  type ConnectionEvent,
  type Effect,
  INITIAL,
  transition,
} from "./session-machine";

/** The part of the browser's WebSocket that the client needs. Tests pass their own. */
export interface SessionSocket {
  onmessage: ((event: MessageEvent<string | Blob>) => void) | null;
  onclose: (() => void) | null;
  send(data: string): void;
  close(): void;
}

export interface SessionClientOptions<P extends Picture> {
  /** Asks the service for a session. Resolves to the path of its socket; rejects with an `ApiError`. */
  create: (signal: AbortSignal) => Promise<string>;
  connect: (path: string) => SessionSocket;
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  timers: Timers;
  now: () => number;
  random?: () => number;
}

/** What is on the screen, and the episode that it belongs to. Another object for every frame. */
export interface Moment<P extends Picture = ImageBitmap> extends Shown<P> {
  trace: EpisodeTrace;
  /** Milliseconds, of the same clock as the policy's `since`. */
  shownAt: number;
}

/**
 * One session, in which an agent plays for somebody who looks.
 *
 * When it is asked for, opened, lost and given up is decided by `session-machine.ts`; which frame is shown, by
 * `frame-presenter.ts`. This class owns the socket and the timer, and holds the current episode and the last.
 */
export class SessionClient<P extends Picture = ImageBitmap> {
  private readonly stateStore = createStore<SessionState>(AT_REST);
  private readonly momentStore = createStore<Moment<P> | null>(null);
  private readonly newestStore = createStore<StepRecord | null>(null);
  private readonly lastStore = createStore<EpisodeTrace | null>(null);
  private readonly presenter: FramePresenter<P>;
  private connection: Connection = INITIAL;
  private socket: SessionSocket | null = null;
  private path: string | null = null;
  private asking: AbortController | null = null;
  private timer: number | null = null;
  private trace = new EpisodeTrace(0);
  /** What somebody chose: it holds for the session that follows a lost one, too. */
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
  }

  readonly state: ReadableStore<SessionState> = this.stateStore;
  readonly moment: ReadableStore<Moment<P> | null> = this.momentStore;
  /** The newest step that came, whether or not its frame is on the screen yet. */
  readonly newest: ReadableStore<StepRecord | null> = this.newestStore;
  /** The episode before the one that is played; null until the first is over. */
  readonly lastEpisode: ReadableStore<EpisodeTrace | null> = this.lastStore;

  readonly start = () => this.dispatch("start");
  readonly stop = () => this.dispatch("stop");
  readonly again = () => this.dispatch("again");
  /** Tries again at once: the network is known to have come back. */
  readonly retryNow = () => this.dispatch("networkBack");

  readonly play = () => {
    this.chosen.delete("pause");
    this.set({ playing: true });
    this.send({ type: "play" });
  };

  readonly pause = () => {
    this.set({ playing: false });
    this.choose("pause", { type: "pause" });
  };

  /** Pauses, and takes one step. */
  readonly forward = () => {
    this.set({ playing: false });
    this.send({ type: "step" });
  };

  /** Pauses, and goes one step back. */
  readonly back = () => {
    this.set({ playing: false });
    this.send({ type: "back" });
  };

  /** Hands the controls over. */
  readonly setActor = (actor: Actor) => {
    this.set({ actor });
    this.choose("actor", { type: "actor", actor });
  };

  readonly reset = (seed?: number) => this.send({ type: "reset", seed: seed ?? null });

  readonly setGreedy = (on: boolean) => {
    this.set({ greedy: on });
    this.choose("greedy", { type: "greedy", on });
  };

  /** Steps a second. */
  readonly setRate = (fps: number) => {
    this.set({ fps });
    this.choose("rate", { type: "rate", fps });
  };

  /** Sends a command to the session; nowhere while none is live. */
  send(message: ClientMessage) {
    if (this.connection.phase === "live") this.socket?.send(JSON.stringify(message));
  }

  private choose(kind: Chosen, message: ClientMessage) {
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
  }

  private listenTo(socket: SessionSocket) {
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
    this.socket = socket;
    // A socket that was left may still have messages on their way.
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
        const { fps, actor, greedy } = message;
        this.set({ hello: message, fps, actor, greedy, playing: true, policy: null });
        this.dispatch("greeted");
        for (const choice of this.chosen.values()) this.send(choice);
        return;
      }
      case "step":
        if (message.record.episode !== this.trace.episode) this.begin(message.record.episode);
        this.trace.add(message.record);
        this.newestStore.set(message.record);
        return this.presenter.record(message.record, message.frame_follows);
      case "episode":
        this.set({ seed: message.seed });
        return this.begin(message.episode);
      case "policy":
        return this.set({ policy: { step: message.step, since: this.options.now() } });
      case "state": {
        const { playing, fps, actor, greedy } = message;
        return this.set({ playing, fps, actor, greedy, complaint: null });
      }
      case "error":
        return this.set({ complaint: message.detail });
      case "ended":
        this.set({ cause: message.cause });
        return this.dispatch("ended");
    }
  }

  private takeFrame(data: Blob) {
    const record = this.presenter.frame(data);
    if (record) this.trace.keepFrame(record.index, data);
  }

  /** A frame may reach the screen after the next episode has begun. */
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
