import type { StepRecord } from "@/api/types";
import type { ReadableStore } from "@/lib/store";
import type { Timers } from "@/lib/time";
import type { SessionState } from "@/player/session/session-machine";

/** The part of a session that playing in lockstep needs. */
export interface Player {
  readonly state: ReadableStore<Pick<SessionState, "phase">>;
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

/**
 * Plays several sessions in lockstep: all play the same seed, and each takes its n-th step together with the
 * others. A session whose episode is over waits; when all are over, the next episodes begin together. One
 * that joins late starts with the next reset.
 */
export class Lockstep {
  private timer: number | null = null;
  private gathered: readonly Player[] = [];
  private readonly awaited = new Map<Player, { before: StepRecord | null; since: number }>();
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
    this.awaited.clear();
    this.gathered = [];
  }

  private readonly tick = () => {
    this.timer = this.clock.timers.set(this.tick, 1000 / this.fps);
    const live = this.players.filter(({ state }) => state.get().phase === "live");
    if (live.length === 0) return;
    if (live.some((player) => !this.gathered.includes(player))) return this.begin(live);
    this.gathered = live;
    if (live.some((player) => this.isAwaited(player))) return;
    if (!this.playing && !this.owesStep) return;
    const going = live.filter(({ newest }) => !isOver(newest.get()));
    if (going.length === 0) return this.rest(live);
    this.owesStep = false;
    for (const player of going) this.ask(player, () => player.forward());
  };

  private rest(live: readonly Player[]) {
    const now = this.clock.now();
    this.restUntil ??= now + REST_MS;
    if (now >= this.restUntil) this.begin(live);
  }

  private begin(live: readonly Player[]) {
    this.gathered = live;
    this.restUntil = null;
    this.owesStep = false;
    this.seed += 1;
    for (const player of live) {
      player.pause();
      this.ask(player, () => player.reset(this.seed));
    }
  }

  private ask(player: Player, send: () => void) {
    this.awaited.set(player, { before: player.newest.get(), since: this.clock.now() });
    send();
  }

  private isAwaited(player: Player): boolean {
    const asked = this.awaited.get(player);
    if (!asked) return false;
    const answered = player.newest.get() !== asked.before;
    if (!answered && this.clock.now() - asked.since < PATIENCE_MS) return true;
    this.awaited.delete(player);
    return false;
  }
}

function isOver(record: StepRecord | null): boolean {
  return record !== null && (record.terminated || record.truncated);
}
