"use client";

import { useEffect, useState } from "react";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { SeenFigure, sheetOf } from "@/player/reading/seen-figure";
import type { EpisodeTrace } from "@/player/session/episode-trace";
import type { SessionClient } from "@/player/session/session-client";
import { Switch } from "@/ui/switch";
import { useDecoded } from "./use-decoded";

interface LiveSeenProps {
  client: SessionClient;
  /** A step that is shown instead of what is live; null follows it. */
  frozen: { trace: EpisodeTrace; index: number } | null;
}

/** What the agent sees while it plays, in step with the frame. It is sent only while this is on the page. */
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
          <Switch label="What mattered" checked={saliency} onChange={setSaliency} />
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
          ? "It comes with the next step."
          : saliency
            ? "What mattered is read as often as frames keep coming, and was not read in this step."
            : "What the agent saw in this step was not kept."}
      </p>
    </SeenFigure>
  );
}
