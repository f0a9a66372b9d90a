"use client";

import { useEffect, useMemo, useState } from "react";
import { useEnvironment } from "@/api/choices";
import type { RunDetail, SessionHello } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { LiveFacts } from "@/player/live/stage";
import { PolicyReadingView } from "@/player/reading/policy-reading-view";
import { SeenFigure, sheetOf } from "@/player/reading/seen-figure";
import { type DrawnSpace, isPicture } from "@/player/reading/space";
import type { EpisodeTrace } from "@/player/session/episode-trace";
import type { SessionClient } from "@/player/session/session-client";
import { canBeSliced } from "@/player/value-slice/prepare";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { Switch } from "@/ui/switch";
import { LiveSliceFigure } from "./live-slice";
import type { Frozen } from "./use-frozen";

interface LiveReadingProps {
  client: SessionClient;
  run: RunDetail;
  frozen: Frozen | null;
  /** Whether images will arrive soon: their space is reserved. */
  expected: boolean;
  onPick: (moment: Frozen) => void;
  onLive: () => void;
}

/** The state of the episode and what the policy predicts, in step with the frame; drawn again for each frame. */
export function LiveReading({ client, run, frozen, expected, onPick, onLive }: LiveReadingProps) {
  const moment = useStore(client.moment);
  const last = useStore(client.lastEpisode);
  const state = useStore(client.state);
  const spaces = useSpaces(run, state.hello);
  const shown = frozen ?? moment;
  const pickFrom = (trace: EpisodeTrace) => (index: number) => {
    const record = trace.recordAt(index);
    if (record) onPick({ trace, record });
  };
  const showLast = () => {
    const record = last?.records[0];
    if (last && record) onPick({ trace: last, record });
  };
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <LiveFacts record={shown?.record ?? null} />
      {last && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Segmented
            legend="Episode"
            options={[
              { value: "live", label: "This episode" },
              { value: "last", label: "Last episode" },
            ]}
            value={frozen && frozen.trace !== moment?.trace ? "last" : "live"}
            onChange={(value) => (value === "last" ? showLast() : onLive())}
          />
          {frozen && (
            <Button size="sm" variant="quiet" onClick={onLive}>
              Back to live
            </Button>
          )}
        </div>
      )}
      {!shown && expected && <Skeleton className="h-80" />}
      {shown && spaces && (
        <PolicyReadingView
          record={shown.record}
          records={shown.trace.records}
          isOver={shown.trace.isOver}
          spaces={spaces}
          greedy={state.greedy}
          learned={run.learned_rewards}
          seen={
            isPicture(spaces.observation) && (
              <LiveSeen
                client={client}
                frozen={frozen && { trace: frozen.trace, index: frozen.record.index }}
              />
            )
          }
          onPick={pickFrom(shown.trace)}
        />
      )}
      {shown && spaces && canBeSliced(spaces.observation) && (
        <LiveSliceFigure
          client={client}
          space={spaces.observation}
          record={shown.record}
          records={shown.trace.records}
        />
      )}
      {state.complaint && (
        <p role="alert" className="text-xs text-bad-strong">
          {state.complaint}
        </p>
      )}
    </div>
  );
}

interface LiveSeenProps {
  client: SessionClient;
  /** A step to show instead of the live one; null: live. */
  frozen: { trace: EpisodeTrace; index: number } | null;
}

/** The images that the agent sees, in step with the frame. They are sent only while this is on the page. */
export function LiveSeen({ client, frozen }: LiveSeenProps) {
  const [saliency, setSaliency] = useState(false);
  const moment = useStore(client.moment);

  // External system: the session, which sends what is asked for.
  useEffect(() => client.showSeen(true, saliency), [client, saliency]);
  useEffect(() => () => client.showSeen(false), [client]);

  const kept = frozen?.trace.seen(frozen.index) ?? null;
  const decoded = useDecoded(kept?.data ?? null);
  const about = frozen ? kept?.about : moment?.seen?.about;
  const bitmap = frozen ? decoded : moment?.seen?.picture;
  const shownAt = frozen ? frozen.index : moment?.seen?.record.index;
  const score = about?.score ?? null;
  return (
    <SeenFigure
      sheet={bitmap && about ? sheetOf(bitmap, about.pictures, score !== null) : null}
      score={score}
      controls={
        <>
          <Switch label="Saliency" checked={saliency} onChange={setSaliency} />
          {shownAt !== undefined && (
            <span className="ml-auto text-xs text-ink-faint tabular-nums">
              Step {count(shownAt)}
            </span>
          )}
        </>
      }
    >
      <p className="text-xs text-ink-soft">
        {!frozen
          ? "It is shown with the next step."
          : saliency
            ? "Saliency was not computed for this step."
            : "What the agent saw in this step was not kept."}
      </p>
    </SeenFigure>
  );
}

/** An encoded picture, decoded; null while decoding, and if it cannot be decoded. */
function useDecoded(data: Blob | null): ImageBitmap | null {
  const [decoded, setDecoded] = useState<{ of: Blob; bitmap: ImageBitmap } | null>(null);

  // External system: the browser's decoder, whose pictures have to be closed.
  useEffect(() => {
    if (!data) return;
    let bitmap: ImageBitmap | null = null;
    let left = false;
    createImageBitmap(data)
      .then((made) => {
        if (left) return made.close();
        bitmap = made;
        setDecoded({ of: data, bitmap: made });
      })
      // What cannot be decoded is not shown.
      .catch(() => {});
    return () => {
      left = true;
      bitmap?.close();
    };
  }, [data]);

  return decoded !== null && decoded.of === data ? decoded.bitmap : null;
}

/** The spaces of a run's environment: from the registry, with names and units, or from the session. */
function useSpaces(
  { env_id, config }: Pick<RunDetail, "env_id" | "config">,
  hello: SessionHello | null,
): { action: DrawnSpace; observation: DrawnSpace } | null {
  const environment = useEnvironment(env_id);
  return useMemo(() => {
    const known = environmentOfRun(environment, config ?? {});
    const action = known?.action_space ?? hello?.action_space;
    const observation = known?.observation_space ?? hello?.observation_space;
    if (!action || !observation) return null;
    const bounds = hello?.action_bounds;
    const low = bounds?.map(([least]) => least ?? null);
    const high = bounds?.map(([, greatest]) => greatest ?? null);
    return { action: { ...action, low, high }, observation };
  }, [environment, config, hello]);
}
