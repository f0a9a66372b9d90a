"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Film } from "lucide-react";
import { useState } from "react";
import { recordedQuery } from "@/api/recording";
import { isActive } from "@/api/runs";
import type { Evaluation, RunDetail } from "@/api/types";
import { brief, decimal, plural } from "@/lib/number";
import { RecordedEpisode } from "./recorded-episode";

const WHILE_LIVE_MS = 4_000;

/** Episodes that a run has recorded itself while it went on, and the one that was chosen. */
export function RecordedEpisodes({ run }: { run: RunDetail }) {
  const { data } = useQuery({
    ...recordedQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE_MS : (false as const),
  });
  const [chosen, setChosen] = useState<string | null>(null);
  if (!data || data.length === 0) return null;
  const shown = data.find(({ id }) => id === chosen);
  return (
    <section aria-label="Recorded by the run" className="flex min-w-0 flex-col gap-3">
      <h3 className="text-sm font-semibold">
        Recorded while it went on{" "}
        <span className="text-xs font-normal text-ink-faint tabular-nums">{data.length}</span>
      </h3>
      <ul className="flex max-h-48 flex-col overflow-y-auto rounded-md border border-line p-1">
        {data.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={one.id === chosen}
              onClick={() => setChosen(one.id === chosen ? null : one.id)}
              className={clsx(
                "flex w-full items-center gap-3 rounded-sm px-2 py-1 text-left text-xs tabular-nums -outline-offset-2! max-md:py-2.5",
                one.id === chosen ? "bg-accent-tint" : "hover:bg-sunken",
              )}
            >
              <Line evaluation={one} />
            </button>
          </li>
        ))}
      </ul>
      {shown && <RecordedEpisode key={shown.id} evaluation={shown} />}
    </section>
  );
}

function Line({
  evaluation: { checkpoint_step: step, summary, video_url: url, id },
}: {
  evaluation: Evaluation;
}) {
  return (
    <>
      <span className="w-20 whitespace-nowrap text-ink-soft">
        {step === null ? plural(summary?.episodes.length ?? 0, "episode") : `Step ${brief(step)}`}
      </span>
      <span className="w-28 font-medium whitespace-nowrap">
        {decimal(summary?.episode_return?.mean ?? null)} return
      </span>
      <span className="whitespace-nowrap text-ink-soft">
        {decimal(summary?.episode_length?.mean ?? null)} steps
      </span>
      {url && <Film aria-label={`${id} has a video`} className="ml-auto size-3.5 text-ink-soft" />}
    </>
  );
}
