import Link from "next/link";
import type { ExperimentSummary } from "@/api/types";
import { age } from "@/lib/format-time";
import { percent } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useNow } from "@/lib/time";
import { StatusBadge } from "@/ui/badge";
import { Progress } from "@/ui/progress";
import { costMade, costText, doneText, leftText } from "./experiment-text";

/** One experiment of the list. */
export function ExperimentLine({ experiment }: { experiment: ExperimentSummary }) {
  const now = useNow("minute");
  const { id, name, status, progress, created_at, cause, problem } = experiment;
  return (
    <li className="relative grid gap-x-4 gap-y-1.5 px-4 py-3 hover:bg-sunken md:grid-cols-[minmax(0,1fr)_7rem_14rem] md:items-center">
      <div className="min-w-0">
        <Link
          href={routes.experiment(id)}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {name}
        </Link>
        <p className="text-xs break-words text-ink-soft">
          {problem ?? cause ?? (
            <>
              {doneText(experiment)} ·{" "}
              <span className="relative z-1" title={costMade(experiment)}>
                {costText(experiment)}
              </span>
            </>
          )}
        </p>
      </div>
      <StatusBadge status={status} />
      <div className="flex flex-col gap-1">
        <Progress share={progress} label="Progress" live={status === "running"} />
        <p className="flex justify-between text-xs text-ink-faint tabular-nums">
          <span>{leftText(experiment) ?? percent(progress)}</span>
          <span>{age(created_at, now)}</span>
        </p>
      </div>
    </li>
  );
}
