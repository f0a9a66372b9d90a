import clsx from "clsx";
import { Check, ChevronRight } from "lucide-react";
import { memo } from "react";
import { RUN_STATUSES } from "@/api/run-filter";
import type { Run, RunStatus, SeedGroup } from "@/api/types";
import { sparklinePaths } from "@/charts/sparkline";
import { brief, decimal, interval, percent, plural, presetName } from "@/lib/number";
import { routes } from "@/lib/routes";
import { StatusBadge } from "@/ui/badge";
import {
  AgeCell,
  CardAge,
  Cells,
  MenuCell,
  NameCell,
  ProgressCell,
  SelectCell,
  settingCells,
} from "./common-cells";
import type { ExtraValues } from "./extra-values";
import layout from "./layout.module.css";
import type { ProgressText } from "./run-row";

interface GroupCellsProps {
  group: SeedGroup;
  /** The run that the group is named after. */
  run: Run;
  /** How many of its runs are selected. */
  selected: number;
  isOpen: boolean;
  current: boolean;
  algorithm: string;
  cards: boolean;
  now: number;
  columns: readonly string[];
  values: ExtraValues;
}

/** The line of a group: the settings that its seeds share, and their combined figures. */
export const GroupCells = memo(function GroupCells(props: GroupCellsProps) {
  const { group, run, selected, isOpen, current, algorithm, cards, now, columns, values } = props;
  const tabIndex = current ? 0 : -1;
  const seeds = plural(group.run_ids.length, "seed");
  const [first, ...others] = statusCounts(group);
  const counts = statusCounts(group)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");
  const cells = {
    ...settingCells(run, algorithm),
    status: (
      <div
        role="gridcell"
        title={counts}
        className={clsx(layout.status, "flex items-center gap-1.5 whitespace-nowrap")}
      >
        {first && <StatusBadge status={first[0]} />}
        {others.length > 0 && (
          <span className="text-2xs text-ink-faint tabular-nums">
            {first?.[1]}/{group.run_ids.length}
            <span className="sr-only">: {counts}</span>
          </span>
        )}
        {cards && <CardAge run={run} now={now} />}
      </div>
    ),
    progress: (
      <ProgressCell
        key={group.id}
        text={groupProgressText(group)}
        share={groupProgress(group)}
        label={`Progress of ${seeds} of ${run.name}`}
        live={group.ended < group.run_ids.length}
      />
    ),
    best: (
      <div
        role="gridcell"
        title={`${intervalText(group.best)}. ${group.best.definition}`}
        className={clsx(layout.best, "z-1 flex flex-col items-end leading-tight tabular-nums")}
      >
        <span className="flex items-center gap-1 font-medium">
          <span className="mr-0.5 text-xs font-normal text-ink-faint">IQM</span>
          {group.solved > 0 && (
            <span title={`${group.solved} of ${seeds} solved`} className="flex items-center">
              <Check
                role="img"
                aria-label={`${group.solved} of ${seeds} solved:`}
                className="size-3.5 shrink-0 text-good"
              />
              {group.solved < group.run_ids.length && (
                <span className="text-2xs font-normal text-ink-faint">{group.solved}</span>
              )}
            </span>
          )}
          {decimal(group.best.iqm)}
        </span>
        {group.best.low !== null && group.best.high !== null && (
          <span className="text-2xs whitespace-nowrap text-ink-faint">
            {interval(group.best.low, group.best.high)}
          </span>
        )}
      </div>
    ),
    trend: (
      <div role="gridcell" className={clsx(layout.roomy, layout.spark)}>
        <GroupSparkline
          seeds={group.sparklines}
          className={clsx(
            "h-6.5 w-full",
            group.ended < group.run_ids.length ? "text-chart-mean" : "text-chart-raw",
          )}
        />
      </div>
    ),
    age: <AgeCell run={run} now={now} cards={cards} />,
  };
  return (
    <>
      <SelectCell
        label={`Select ${seeds} of ${run.name}`}
        selected={selected === 0 ? "none" : selected < group.run_ids.length ? "some" : "all"}
        tabIndex={tabIndex}
      />
      <NameCell run={run} href={routes.compareRuns(group.run_ids)} tabIndex={tabIndex}>
        <button
          type="button"
          data-act="unfold"
          tabIndex={tabIndex}
          aria-label={`${isOpen ? "Hide" : "Show"} the ${seeds} of ${run.name}`}
          className="z-1 -my-1 -ml-1 flex items-center gap-0.5 rounded-sm px-1 py-1 text-ink-soft hover:bg-rest-tint hover:text-ink"
        >
          <ChevronRight
            aria-hidden
            className={clsx("size-3 transition-transform", isOpen && "rotate-90")}
          />
          {seeds}
        </button>
        <span className={clsx(layout.facts, "min-w-0 truncate")}>
          {algorithm} · {run.env_id} · {presetName(run.preset)}
        </span>
      </NameCell>
      <Cells columns={columns} cells={cells} runIds={group.run_ids} values={values} />
      <MenuCell label={`Actions for ${seeds} of ${run.name}`} tabIndex={tabIndex} />
    </>
  );
});

const WIDTH = 104;
const HEIGHT = 26;

/** The returns of several seeds as small lines on one scale. */
function GroupSparkline({
  seeds,
  className,
}: {
  seeds: readonly (readonly number[])[];
  className?: string;
}) {
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      className={className}
    >
      {sparklinePaths(seeds, WIDTH, HEIGHT).map((path, i) => (
        <path
          key={i}
          d={path}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.25}
          strokeOpacity={0.6}
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

/** Statuses of the runs of a group with how many are in each, in the order of a run's life. */
export function statusCounts({ statuses }: SeedGroup): [status: RunStatus, count: number][] {
  return RUN_STATUSES.map((status): [RunStatus, number] => [status, statuses[status] ?? 0]).filter(
    ([, count]) => count > 0,
  );
}

/** From 0 to 1, of the steps of all runs together. */
function groupProgress({ step, end_step }: SeedGroup): number {
  return end_step > 0 ? Math.min(1, step / end_step) : 0;
}

/** Progress of all runs of a group in a few words. */
export function groupProgressText(group: SeedGroup): ProgressText {
  const count = group.run_ids.length;
  if (group.ended === count || group.end_step === 0)
    return { done: `${brief(group.step)} steps in total`, note: "" };
  return {
    done: `${percent(groupProgress(group))} in total`,
    note: `${group.ended} of ${count} ended`,
  };
}

/** `461.2 [420.0, 492.1]`; one run alone has no interval. */
export function intervalText({
  iqm,
  low,
  high,
}: Pick<SeedGroup["best"], "iqm" | "low" | "high">): string {
  if (iqm === null) return "–";
  return low === null || high === null ? decimal(iqm) : `${decimal(iqm)} ${interval(low, high)}`;
}
