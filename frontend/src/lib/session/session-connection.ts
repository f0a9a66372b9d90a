import { ApiError } from "@/api/http";
import type { ClientMessage, ServerMessage } from "@/api/types";
import { backoff } from "../time";
import type { Picture } from "./frame-presenter";
import {
  type Connection,
  type ConnectionEvent,
  type Effect,
  INITIAL,
  type Phase,
  transition,
} from "./session-machine";
import type { SessionClientOptions, SessionSocket } from "./session-options";

/** What happens to the connection of a session, and what comes through it. */
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
 * `lib/time/backoff.ts` after which delay; this class owns the socket and the timer.
 */
export class SessionConnection<P extends Picture> {
  private connection: Connection = INITIAL;
  private socket: SessionSocket | null = null;
  private path: string | null = null;
  private asking: AbortController | null = null;
  private timer: number | null = null;

  constructor(
    private readonly options: SessionClientOptions<P>,
    private readonly listener: ConnectionListener,
  ) {}

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
