"use client";

import { useQuery } from "@tanstack/react-query";
import { CirclePause } from "lucide-react";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail } from "@/api/types";
import { count } from "@/lib/number";
import { Notice } from "@/ui/notice";
import { pauseText, resumedText } from "./pause-text";

/** A run that pauses, is paused, or has continued from a snapshot. */
export function PauseNotice({ run }: { run: RunDetail }) {
  const { data } = useQuery({ ...snapshotsQuery(run.id), enabled: run.status === "paused" });
  const held = data?.snapshots.find(({ name }) => name === data.newest);
  const words = pauseText(run, held);
  const resumed = resumedText(run);
  return (
    <>
      {words && (
        <Notice
          tone="info"
          role="status"
          title={words.title}
          icon={run.status === "paused" ? CirclePause : undefined}
        >
          <p className="text-ink-soft">{words.text}</p>
        </Notice>
      )}
      {resumed && (
        <p role="status" className="text-xs text-ink-soft">
          {resumed}
          {run.resumed?.diverged_at != null &&
            ` From step ${count(run.resumed.diverged_at)} on the newest attempt is shown.`}
        </p>
      )}
    </>
  );
}
