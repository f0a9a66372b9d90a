import clsx from "clsx";
import { Check, StickyNote, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { isActive, progress } from "@/api/runs";
import type { Run } from "@/api/types";
import { Sparkline } from "@/charts/sparkline";
import { decimal, presetName } from "@/lib/number";
import { routes } from "@/lib/routes";
import { solvedAt } from "@/lib/solved";
import { StatusBadge } from "@/ui/badge";
import layout from "../layout/layout.module.css";
import { AgeCell, CardAge, MenuCell, ProgressCell, SettingCells } from "./common-cells";
import { NameCell, SelectCell } from "./leading-cells";
import { progressText, solvedText } from "./progress-text";
import { RunTags } from "./run-tags";

interface RunCellsProps {
  run: Run;
  selected: boolean;
  current: boolean;
  /** Display name of the algorithm. */
  algorithm: string;
  /** Whether rows are shown as cards, where the age stands beside the status and not in a column. */
  cards: boolean;
  now: number;
}

export const RunCells = memo(function RunCells(props: RunCellsProps) {
  const { run, selected, current, algorithm, cards, now } = props;
  const tabIndex = current ? 0 : -1;
  return (
    <>
      <SelectCell
        label={`Select ${run.name}`}
        selected={selected ? "all" : "none"}
        tabIndex={tabIndex}
      />
      <NameCell run={run} href={routes.run(run.id)} tabIndex={tabIndex}>
        <span className="min-w-0 truncate">
          <span className={layout.facts}>
            {algorithm} · {run.env_id} · {presetName(run.preset)} ·{" "}
          </span>
          seed {run.seed}
        </span>
        {run.tags.length > 0 && <RunTags tags={run.tags} />}
        {run.damage.length > 0 && (
          <TriangleAlert
            role="img"
            aria-label={
              run.damage.every(({ newer }) => newer)
                ? "A newer version wrote it"
                : "Its folder is damaged"
            }
            className="size-3 shrink-0 text-warn"
          />
        )}
        {run.notes !== "" && (
          <StickyNote role="img" aria-label="Has notes" className="size-3 shrink-0" />
        )}
      </NameCell>
      <SettingCells run={run} algorithm={algorithm} />
      <div role="gridcell" className={clsx(layout.status, "flex items-center gap-2")}>
        <StatusBadge status={run.status} />
        {cards && <CardAge run={run} now={now} />}
      </div>
      <ProgressCell
        key={run.id}
        text={progressText(run)}
        share={progress(run)}
        label={`Progress of ${run.name}`}
        live={isActive(run)}
      />
      <div
        role="gridcell"
        className={clsx(layout.best, "flex flex-col items-end leading-tight tabular-nums")}
      >
        <span className="flex items-center gap-1 font-medium">
          <span className="mr-0.5 text-xs font-normal text-ink-faint md:sr-only">best average</span>
          {decimal(run.best_moving_average)}
        </span>
        {run.solved && (
          <span
            title={solvedText(run.solved)}
            className="z-1 flex items-center gap-1 text-2xs whitespace-nowrap text-ink-faint"
          >
            <Check
              role="img"
              aria-label={solvedText(run.solved)}
              className="size-3 shrink-0 text-good"
            />
            <span aria-hidden>{solvedAt(run.solved)}</span>
          </span>
        )}
      </div>
      <div role="gridcell" className={clsx(layout.roomy, layout.spark)}>
        <Sparkline
          values={run.sparkline}
          className={clsx("h-6.5 w-full", isActive(run) ? "text-chart-mean" : "text-chart-raw")}
        />
      </div>
      <AgeCell run={run} now={now} cards={cards} />
      <MenuCell label={`Actions for ${run.name}`} tabIndex={tabIndex} />
    </>
  );
});
