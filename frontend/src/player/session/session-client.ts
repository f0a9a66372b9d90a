import { ApiError } from "@/api/http";
import type {
  Actor,
  ClientMessage,
  GameSearch,
  GameValues,
  LiveSlice,
  SeenPictures,
  ServerMessage,
  StartState,
  StepRecord,
} from "@/api/types";
import { createStore, type ReadableStore } from "@/lib/store";
import { backoff, type Timers } from "@/lib/time";
import { EpisodeTrace } from "./episode-trace";
import {
  type AnimationFrames,
  type EncodedSeen,
  FramePresenter,
  type Picture,
  type Shown,
} from "./frame-presenter";
import {
  AT_REST,
  type Chosen,
  type Connection,
  type ConnectionEvent,
  type Effect,
  INITIAL,
  type Phase,
  type SessionState,
  transition,
} from "./session-machine";

/** A frame, and the images that the agent saw if they were announced with it. */
export interface StepBinaries {
  frame: Blob;
  seen: EncodedSeen | null;
}

/** Combines the binary messages that follow a step: its frame, and after it the images that the agent saw. */
class BinaryAssembler {
  private awaited: SeenPictures | null = null;
  private frame: Blob | null = null;

  /** A step was announced; null: only its frame follows, if anything. */
  announce(seen: SeenPictures | null) {
    this.awaited = seen;
    this.frame = null;
  }

  /** Messages that belong together, once all have arrived. */
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

/**
 * A client of one session: its commands and its state. `session-connection.ts` has the socket, and `frame-presenter.ts`
 * decides which frame is shown. This class holds the current and the previous episode.
 */
export class SessionClient<P extends Picture = ImageBitmap> {
  private readonly stateStore = createStore<SessionState>(AT_REST);
  private readonly momentStore = createStore<Moment<P> | null>(null);
  private readonly newestStore = createStore<StepRecord | null>(null);
  private readonly sliceStore = createStore<LiveSlice | null>(null);
  private readonly gameStore = createStore<DescribedGame>(NOTHING_DESCRIBED);
  private readonly lastStore = createStore<EpisodeTrace | null>(null);
  private readonly connection: SessionConnection<P>;
  private readonly presenter: FramePresenter<P>;
  private readonly otherFuture: OtherFuture<P>;
  /** Whether the step that was announced last, whose frame follows, is of the other future. */
  private ofOther = false;
  private trace = new EpisodeTrace(0);
  private readonly binaries = new BinaryAssembler();
  /** Path of the session that was live last; null: none since the user began or ended one. */
  private livePath: string | null = null;
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

  /** The visible step of the other future; null: there is none. */
  readonly other: ReadableStore<Shown<P> | null>;

  /** The newest value slice; null while none is requested. */
  readonly slice: ReadableStore<LiveSlice | null> = this.sliceStore;

  /** What a session that describes a game has found. */
  readonly game: ReadableStore<DescribedGame> = this.gameStore;

  readonly start = () => this.connection.dispatch("start");
  readonly stop = () => {
    this.livePath = null;
    this.connection.dispatch("stop");
  };
  readonly again = () => {
    this.livePath = null;
    this.connection.dispatch("again");
  };
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

  /** Pauses, and starts another future with an action; null: continues with the episode alone. */
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

  /** Asks for the values of taps and expressions of a game from now on. */
  readonly showGameValues = (
    wanted: Omit<Extract<ClientMessage, { type: "game_values" }>, "type">,
  ) => this.choose("game values", { type: "game_values", ...wanted });

  /** Sends a message to the session, if it is live; otherwise does nothing. */
  send(message: ClientMessage) {
    this.connection.send(message);
  }

  private stepBy(message: ClientMessage) {
    this.set({ playing: false });
    this.send(message);
  }

  /** Shows `change` at once, before the session confirms it. */
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
        this.gameStore.set(NOTHING_DESCRIBED);
        const { fps, actor, greedy } = message;
        const { path } = this.connection;
        const isReplaced = this.livePath !== null && this.livePath !== path;
        this.livePath = path;
        this.set({
          ...(isReplaced && { replacements: this.state.get().replacements + 1 }),
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
      case "game_values":
        return this.describe({ values: message });
      case "search":
        return this.describe({ search: message.width === null ? null : message });
      case "start_state":
        return this.describe({ start: message });
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

  private describe(change: Partial<DescribedGame>) {
    this.gameStore.set({ ...this.gameStore.get(), ...change });
  }

  private set(change: Partial<SessionState>) {
    this.stateStore.set({ ...this.state.get(), ...change });
  }
}

/** What a session that describes a game has found; null: nothing yet. */
export interface DescribedGame {
  values: GameValues | null;
  /** The search of the game's memory; null: there is none. */
  search: GameSearch | null;
  /** The start state that was saved or loaded last. */
  start: StartState | null;
}

const NOTHING_DESCRIBED: DescribedGame = { values: null, search: null, start: null };

/** Events of the connection of a session, and its messages. */
export interface ConnectionListener {
  onPhase: (phase: Phase) => void;
  /** A session is requested. */
  onAsk: () => void;
  onRefused: (error: ApiError) => void;
  onMessage: (message: ServerMessage) => void;
  onFrame: (data: Blob) => void;
  /** The socket was closed from this side, for good or to open another one. */
  onClose: () => void;
}

/**
 * The connection of one session. `session-machine.ts` decides when it is requested, opened, reconnected and given up,
 * `backoff` of `lib/time.ts` after which delay; this class owns the socket and the timer.
 */
class SessionConnection<P extends Picture> {
  private connection: Connection = INITIAL;
  private socket: SessionSocket | null = null;
  private sessionPath: string | null = null;
  private asking: AbortController | null = null;
  private timer: number | null = null;

  constructor(
    private readonly options: SessionClientOptions<P>,
    private readonly listener: ConnectionListener,
  ) {}

  /** Path of the newest session's socket; null before the first. */
  get path(): string | null {
    return this.sessionPath;
  }

  dispatch(event: ConnectionEvent) {
    const { phase } = this.connection;
    const { next, effects } = transition(this.connection, event);
    this.connection = next;
    for (const effect of effects) this.perform(effect);
    if (phase !== next.phase) this.listener.onPhase(next.phase);
  }

  /** Sends a message to the session, if it is live; otherwise does nothing. */
  send(message: ClientMessage) {
    if (this.connection.phase === "live") this.socket?.send(JSON.stringify(message));
  }

  private perform(effect: Effect) {
    switch (effect.kind) {
      case "ask":
        this.listener.onAsk();
        return void this.ask();
      case "connect":
        return this.listenTo(this.options.connect(this.sessionPath!));
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
      this.sessionPath = path;
      this.dispatch("created");
    } catch (error) {
      if (asking.signal.aborted) return;
      if (!(error instanceof ApiError) || error.isUnreachable) return this.dispatch("unreachable");
      this.listener.onRefused(error);
      this.dispatch("refused");
    }
  }

  private close() {
    this.clearTimer();
    this.asking?.abort();
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.listener.onClose();
  }

  private listenTo(socket: SessionSocket) {
    this.clearTimer();
    this.socket = socket;
    // A socket that was closed may still deliver messages.
    socket.onclose = () => {
      if (this.socket === socket) this.dispatch("closed");
    };
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data === "string") this.listener.onMessage(JSON.parse(data) as ServerMessage);
      else this.listener.onFrame(data);
    };
  }

  private clearTimer() {
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
  }
}

/** The part of the browser's WebSocket that the client needs. Tests pass their own. */
export interface SessionSocket {
  onmessage: ((event: MessageEvent<string | Blob>) => void) | null;
  onclose: (() => void) | null;
  send(data: string): void;
  close(): void;
}

interface SessionClientOptions<P extends Picture> {
  /** Requests a session. Resolves to the path of its socket; rejects with an `ApiError`. */
  create: (signal: AbortSignal) => Promise<string>;
  connect: (path: string) => SessionSocket;
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  timers: Timers;
  now: () => number;
  random?: () => number;
}

/** What is on the screen, with its episode. A new object for every frame. */
export interface Moment<P extends Picture = ImageBitmap> extends Shown<P> {
  trace: EpisodeTrace;
  /** Milliseconds, by the same clock as the policy's `since`. */
  shownAt: number;
}

interface OtherFutureOptions<P extends Picture> {
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  /** The first step at which the futures differ was found; null: the second future was closed. */
  onDiffers: (index: number | null) => void;
}

/** A second future beside the episode, from its first step until it is closed: its frames, and where the two differ. */
class OtherFuture<P extends Picture> {
  /** Its visible step; null while there is none. */
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
