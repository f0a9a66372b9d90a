import { Progress } from "@/components/ui/progress";
import type { Evaluation } from "@/lib/api";

export function EvaluationProgress({ evaluation }: { evaluation: Evaluation }) {
  const { status, episodes, episodes_done: done } = evaluation;
  const text =
    status === "queued"
      ? "Waiting to start"
      : done >= episodes
        ? "Finishing the video"
        : `Episode ${done + 1} of ${episodes}`;
  return (
    <div role="status" className="rounded-md border border-line bg-sunken px-3 py-2.5 text-sm">
      <p className="tabular-nums">{text}</p>
      <Progress
        share={episodes === 0 ? 0 : done / episodes}
        label="Evaluation progress"
        valueText={text}
        className="mt-2"
      />
    </div>
  );
}
