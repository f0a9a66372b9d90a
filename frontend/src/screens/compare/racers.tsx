"use client";

import { StepForward } from "lucide-react";
import {
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import type { Run } from "@/api/types";
import { useInView } from "@/lib/media";
import { browserTimers } from "@/lib/time";
import { PlayKey } from "@/player/live/transport";
import type { SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";
import { usePageSeen, watchSession } from "@/player/session/watch-session";
import { Key } from "@/player/video/transport";
import { Segmented } from "@/ui/segmented";
import { Lockstep, type Player } from "./lockstep";

/** Steps per second of all sessions. */
const FPS = 15;
const CLOCK = { timers: browserTimers, now: () => performance.now() };

interface Racers {
  /** The session of each run, in their order. */
  clients: readonly SessionClient[];
  /** Whether the page is visible, so that sessions stay open. */
  wanted: boolean;
  controls: LiveControlsProps;
}

/**
 * The sessions of `runs`, which play in step with each other while `place` is in view. `others` play with them.
 */
export function useRacers(
  runs: readonly Run[],
  place: RefObject<HTMLElement | null>,
  others: readonly Player[] = NO_OTHERS,
): Racers {
  // A run that keeps playing keeps its session when another one takes a place.
  const [sessions] = useState(() => new Map<string, SessionClient>());
  const [playing, setPlaying] = useState(true);
  const [greedy, setGreedy] = useState<boolean | null>(null);
  const inView = useInView(place);
  const pageSeen = usePageSeen();
  const wanted = inView === true && pageSeen;

  const key = runs.map(({ id }) => id).join();
  const clients = useMemo(
    () => key.split(",").map((id) => sessionOf(sessions, id)),
    [sessions, key],
  );
  const lockstep = useMemo(
    () => new Lockstep([...clients, ...others], CLOCK, FPS),
    [clients, others],
  );
  // External system: the sessions at the service.
  useEffect(() => {
    if (!wanted) return;
    lockstep.start();
    return () => lockstep.stop();
  }, [lockstep, wanted]);
  useEffect(() => lockstep.setPlaying(playing), [lockstep, playing]);
  useEffect(() => {
    if (greedy !== null) for (const client of clients) client.setGreedy(greedy);
  }, [clients, greedy]);
  const onStep = () => {
    setPlaying(false);
    lockstep.stepOnce();
  };
  return {
    ...{ clients, wanted },
    controls: {
      clients,
      chosen: greedy,
      playing,
      onPlaying: setPlaying,
      onStep,
      onGreedy: setGreedy,
    },
  };
}

const NO_OTHERS: readonly Player[] = [];

function sessionOf(sessions: Map<string, SessionClient>, id: string): SessionClient {
  const known = sessions.get(id) ?? watchSession(id);
  sessions.set(id, known);
  return known;
}

interface LiveControlsProps {
  clients: readonly SessionClient[];
  /** Whether the user chose greedy actions; null: nothing was chosen. */
  chosen: boolean | null;
  playing: boolean;
  onPlaying: (playing: boolean) => void;
  onStep: () => void;
  onGreedy: (greedy: boolean) => void;
}

/** How all live sessions choose their actions; null if they differ, or none is live. */
export function commonActions(
  sessions: readonly Pick<SessionState, "hello" | "greedy">[],
): "greedy" | "exploring" | null {
  const [first, ...others] = sessions.filter(({ hello }) => hello !== null);
  if (!first || others.some(({ greedy }) => greedy !== first.greedy)) return null;
  return first.greedy ? "greedy" : "exploring";
}

/** How all clients choose their actions, kept up to date. Each begins as its run is evaluated. */
function useActions(clients: readonly SessionClient[]) {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const ends = clients.map(({ state }) => state.subscribe(onChange));
      return () => ends.forEach((end) => end());
    },
    [clients],
  );
  const read = () => commonActions(clients.map(({ state }) => state.get()));
  return useSyncExternalStore(subscribe, read, () => null);
}

/** Controls of all runs that play together: pause, one step, and how actions are chosen. */
export function LiveControls({
  clients,
  chosen,
  playing,
  onPlaying,
  onStep,
  onGreedy,
}: LiveControlsProps) {
  const played = useActions(clients);
  const actions = chosen === null ? played : chosen ? "greedy" : "exploring";
  return (
    <div role="group" aria-label="All runs" className="flex flex-wrap items-center gap-1">
      <PlayKey goesOn={playing} disabled={false} onPress={() => onPlaying(!playing)} />
      <Key label="One step" onPress={onStep}>
        <StepForward aria-hidden className="size-4" />
      </Key>
      <Segmented
        legend="Actions"
        className="ml-auto"
        options={[
          { value: "greedy", label: "Greedy" },
          { value: "exploring", label: "Exploring" },
        ]}
        value={actions}
        onChange={(value) => onGreedy(value === "greedy")}
      />
    </div>
  );
}

/** The text in place of a missing picture; null if there is a picture. */
export function missingPicture(
  { phase, refusal, cause }: SessionState,
  hasFrame: boolean,
): string | null {
  if (phase === "refused") return [refusal?.title, refusal?.detail].filter(Boolean).join(". ");
  if (phase === "ended") return cause;
  if (phase === "waiting") return "The connection was lost. Trying again…";
  return hasFrame || phase === "resting" ? null : "Starting the environment…";
}
