import type { StepRecord } from "@/api/types";
import type { ReadableStore } from "@/lib/store";
import type { Timers } from "@/lib/time";
import type { SessionState } from "@/player/session/session-machine";

/** The part of a session that playing in lockstep needs. */
export interface Player {
  /** `seed` is that of the episode announced last. */
  readonly state: ReadableStore<Pick<SessionState, "phase" | "seed">>;
  /** The newest record received. */
  readonly newest: ReadableStore<StepRecord | null>;
  pause(): void;
  forward(): void;
  reset(seed?: number): void;
}

/** Milliseconds that the last frames stay on screen before the next episodes begin. */
const REST_MS = 1_200;

/** Milliseconds after which the others no longer wait for a session that does not respond. */
const PATIENCE_MS = 2_000;

/** Milliseconds after which the episodes begin again if no session responds: a reconnection may have lost the requests. */
const LOST_MS = 15_000;

/** What a session was asked for and has not done yet. */
interface Request {
  isDone: () => boolean;
  since: number;
}

/**
 * Plays several sessions in lockstep: all play the same seed, and each takes its n-th step together with the
 * others. One that has fallen behind catches up first, also during a pause. A session whose episode is over
 * waits; when all are over, the next episodes begin together. One that joins late starts with the next reset.
 */
export class Lockstep {
  private timer: number | null = null;
  private gathered: readonly Player[] = [];
  private readonly requests = new Map<Player, Request>();
  private seed = 0;
  private restUntil: number | null = null;
  private playing = true;
  /** Whether one step is pending while paused. */
  private owesStep = false;

  constructor(
    private readonly players: readonly Player[],
    private readonly clock: { timers: Timers; now: () => number },
    private fps: number,
  ) {}

  /** Sets the steps per second. */
  setRate(fps: number) {
    this.fps = fps;
  }

  /** Plays, or pauses all sessions at their current step. */
  setPlaying(playing: boolean) {
    this.playing = playing;
    this.owesStep = false;
  }

  /** Holds all sessions, after one step more. */
  stepOnce() {
    this.playing = false;
    this.owesStep = true;
  }

  start() {
    if (this.timer === null) this.tick();
  }

  stop() {
    if (this.timer !== null) this.clock.timers.clear(this.timer);
    this.timer = null;
    this.requests.clear();
    this.gathered = [];
  }

  private readonly tick = () => {
    this.timer = this.clock.timers.set(this.tick, 1000 / this.fps);
    const live = this.players.filter(({ state }) => state.get().phase === "live");
    if (live.length === 0) return;
    if (live.some((player) => !this.gathered.includes(player))) return this.begin(live);
    this.gathered = live;
    if (live.some((player) => this.isAwaited(player))) return;
    const present = live.filter((player) => !this.requests.has(player));
    if (present.length === 0) {
      if (live.every((player) => this.waitedFor(player) >= LOST_MS)) this.begin(live, this.seed);
      return;
    }
    const going = present.filter(({ newest }) => !isOver(newest.get()));
    const front = Math.max(...present.map(stepOf));
    const behind = going.filter((player) => stepOf(player) < front);
    if (behind.length > 0) return this.advance(behind);
    if (!this.playing && !this.owesStep) return;
    if (going.length === 0) return this.rest(live);
    this.owesStep = false;
    this.advance(going);
  };

  private rest(live: readonly Player[]) {
    const now = this.clock.now();
    this.restUntil ??= now + REST_MS;
    if (now >= this.restUntil) this.begin(live);
  }

  private begin(live: readonly Player[], seed = this.seed + 1) {
    this.gathered = live;
    this.restUntil = null;
    this.owesStep = false;
    this.seed = seed;
    for (const player of live) {
      player.pause();
      const before = player.newest.get();
      // Steps of the episode before may still arrive. A session that was replaced counts its episodes from 0 again.
      this.request(player, () => {
        const now = player.newest.get();
        return now !== before && now?.index === 0 && player.state.get().seed === seed;
      });
      player.reset(seed);
    }
  }

  private advance(players: readonly Player[]) {
    this.restUntil = null;
    for (const player of players) {
      const before = player.newest.get();
      this.request(player, () => player.newest.get() !== before);
      player.forward();
    }
  }

  private request(player: Player, isDone: () => boolean) {
    this.requests.set(player, { isDone, since: this.clock.now() });
  }

  /** Whether the others wait for what the player was asked for. */
  private isAwaited(player: Player): boolean {
    const request = this.requests.get(player);
    if (!request) return false;
    if (!request.isDone()) return this.waitedFor(player) < PATIENCE_MS;
    this.requests.delete(player);
    return false;
  }

  /** Milliseconds since the request that the player has not done yet; 0 if there is none. */
  private waitedFor(player: Player): number {
    const now = this.clock.now();
    return now - (this.requests.get(player)?.since ?? now);
  }
}

function stepOf({ newest }: Player): number {
  return newest.get()?.index ?? 0;
}

function isOver(record: StepRecord | null): boolean {
  return record !== null && (record.terminated || record.truncated);
}
