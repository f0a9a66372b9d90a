import type { Evaluation } from "@/api/types";
import { plural } from "@/lib/number";
import { Progress } from "@/ui/progress";

/** An evaluation that waits or plays its episodes. */
export function EvaluationProgress({ evaluation }: { evaluation: Evaluation }) {
  const { status, episodes, episodes_done: done } = evaluation;
  const queued = status === "queued";
  const text = queued
    ? "Waiting to start"
    : done >= episodes
      ? "Finishing the video"
      : `Episode ${done + 1} of ${episodes}`;
  return (
    <div role="status" className="rounded-md border border-line bg-sunken px-3 py-2.5 text-sm">
      <p className="flex flex-wrap justify-between gap-x-3 tabular-nums">
        {text}
        <span className="text-ink-faint">
          {queued ? `queued · ${plural(episodes, "episode")}` : "recording"}
        </span>
      </p>
      <Progress
        share={episodes === 0 ? 0 : done / episodes}
        label="Evaluation progress"
        valueText={text}
        className="mt-2"
      />
      {queued && (
        <p className="mt-2 text-xs text-ink-faint">
          It begins when a checkpoint and a free slot are there.
        </p>
      )}
    </div>
  );
}
