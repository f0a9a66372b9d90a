import Link from "next/link";
import { memo } from "react";
import { Progress } from "@/components/ui/progress";
import { StatusBadge } from "@/components/ui/status-badge";
import { isActive, progress, type Run } from "@/lib/api";
import { brief, compact, decimal, percent } from "@/lib/format";
import { routes } from "@/lib/url";
import { columns } from "./columns";
import { RunTime } from "./run-time";

/** A line of a table on a wide screen, a card on a narrow one. */
export const RunRow = memo(function RunRow({ run }: { run: Run }) {
  const share = progress(run);
  return (
    <li>
      <Link
        href={routes.run(run.id)}
        className={`${columns} grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-2 px-4 py-2.5 -outline-offset-2! transition-colors hover:bg-sunken`}
      >
        <span className="min-w-0">
          <span className="flex items-baseline gap-2">
            <span className="truncate font-medium">{run.name}</span>
            <span className="shrink-0 font-mono text-2xs text-ink-faint">{run.id.slice(-4)}</span>
          </span>
          <span className="block truncate text-xs text-ink-faint">
            {run.algo.toUpperCase()} · {run.env_id}
            {run.preset && ` · ${run.preset}`} · seed {run.seed}
          </span>
        </span>
        <span className="justify-self-end lg:justify-self-start">
          <StatusBadge status={run.status} />
        </span>
        <span className="flex min-w-0 flex-col justify-center gap-1.5 max-lg:col-span-2">
          <span className="flex justify-between text-xs text-ink-soft tabular-nums">
            <span>
              {brief(run.step)} / {compact(run.total_timesteps)}
            </span>
            <span className="text-ink-faint">{percent(share)}</span>
          </span>
          <Progress share={share} label={`Progress of ${run.name}`} live={isActive(run)} />
        </span>
        <span className="text-sm tabular-nums lg:text-right lg:font-medium">
          <span className="text-ink-faint lg:sr-only">Mean return </span>
          {decimal(run.ep_rew_mean)}
        </span>
        <span className="text-right text-xs text-ink-soft tabular-nums">
          <RunTime run={run} />
        </span>
      </Link>
    </li>
  );
});
