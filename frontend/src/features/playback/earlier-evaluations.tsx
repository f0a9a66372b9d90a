import clsx from "clsx";
import { Disclosure } from "@/components/ui/disclosure";
import { StatusBadge } from "@/components/ui/status-badge";
import type { Evaluation } from "@/lib/api";
import { brief, decimal } from "@/lib/format";
import { isUnderWay } from "./readiness";

interface EarlierEvaluationsProps {
  evaluations: readonly Evaluation[];
  shown: string | undefined;
  onShow: (id: string) => void;
}

/** Every evaluation of the run; those that completed can be put back into the player. */
export function EarlierEvaluations({ evaluations, shown, onShow }: EarlierEvaluationsProps) {
  const past = evaluations.filter((evaluation) => !isUnderWay(evaluation));
  return (
    <Disclosure
      className="border-t border-line pt-2"
      summary="All evaluations"
      aside={<span className="text-xs font-normal text-ink-faint">{past.length}</span>}
    >
      <ul className="mt-1 flex flex-col">
        {past.map((evaluation) => (
          <li key={evaluation.id}>
            <button
              type="button"
              disabled={evaluation.status !== "completed"}
              aria-pressed={evaluation.id === shown}
              onClick={() => onShow(evaluation.id)}
              className={clsx(
                "flex w-full items-center justify-between gap-3 rounded-md px-2 py-1.5 text-left text-xs tabular-nums transition-colors max-md:py-2.5",
                evaluation.id === shown ? "bg-accent-wash" : "enabled:hover:bg-sunken",
              )}
            >
              <Line evaluation={evaluation} />
            </button>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

function Line({ evaluation }: { evaluation: Evaluation }) {
  const { summary, checkpoint_step: step, status, video_url: video } = evaluation;
  return (
    <>
      <span className="text-ink-soft">Step {brief(step)}</span>
      {summary ? (
        <span className="font-medium">
          {decimal(summary.episode_return.mean)} ± {decimal(summary.episode_return.std)}
        </span>
      ) : (
        <StatusBadge status={status} />
      )}
      <span className="w-24 text-right text-ink-faint">
        {status === "completed" && (video ? "video" : "video retired")}
      </span>
    </>
  );
}
