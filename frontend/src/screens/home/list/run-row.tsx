import clsx from "clsx";
import { Check, StickyNote, TriangleAlert } from "lucide-react";
import { lazy, memo, Suspense, useState } from "react";
import { hasLength, isActive, progress } from "@/api/runs";
import type { Run, SeedGroup } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { Sparkline } from "@/charts/sparkline";
import { duration, elapsed, remaining } from "@/lib/format-time";
import { brief, decimal, percent, presetName, shortEnvironment } from "@/lib/number";
import { routes } from "@/lib/routes";
import { solvedAt, solvedWords } from "@/lib/solved";
import { StatusBadge } from "@/ui/badge";
import { isStandard, STANDARD } from "./column-choice";
import { COLUMNS } from "./columns";
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

// Loaded with the first group, since many lists have none.
const GroupCells = lazy(
  withRetry(() => import("./group-cells").then(({ GroupCells }) => ({ default: GroupCells }))),
);

interface RunRowProps {
  /** Null until its page is loaded; the row keeps its height and the keyboard's position. */
  run: Run | null;
  /** The group, if this is its line. */
  group: SeedGroup | null;
  /** Whether the line is that of a seed below its open group. */
  isSeed: boolean;
  /** Whether the seeds of the group are shown. */
  isOpen: boolean;
  /** Whether rows have levels, because some are groups. */
  isTree: boolean;
  index: number;
  top: number;
  /** Whether it is listed above the others because it trains. */
  pinned: boolean;
  /** How many of its runs are selected. */
  selected: number;
  /** Whether the keyboard's position is on this row. */
  current: boolean;
  algorithmName: (id: string) => string;
  /** Whether rows scroll by too fast to read. A row that comes into view meanwhile is drawn as a placeholder. */
  passing: boolean;
  cards: boolean;
  now: number;
  /** Ids of the columns after the name. */
  columns: readonly string[];
  values: ExtraValues;
}

/**
 * One run, or a group of seeds: a row of the table, or a card on a phone. Memoised, so that it renders again only when its own
 * props change; events are handled by the table around it, which keeps rows light.
 */
export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, group, isSeed, isOpen, isTree, index, top, pinned, selected, current } = props;
  const { algorithmName, passing, cards, now, columns, values } = props;
  const all = selected === (group?.run_ids.length ?? 1);
  // A row element is reused for other rows of the list. Once drawn in full, it stays so until it is
  // reused.
  const [drawnLine, setDrawnLine] = useState(passing ? null : index);
  const drawn = !passing || drawnLine === index;
  if (drawn && drawnLine !== index) setDrawnLine(index);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={all}
      aria-level={isTree ? (isSeed ? 2 : 1) : undefined}
      aria-expanded={group ? isOpen : undefined}
      aria-busy={run === null || !drawn || undefined}
      data-index={index}
      tabIndex={current ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      className={clsx(
        layout.line,
        layout.row,
        "border-b border-line text-sm -outline-offset-2!",
        isSeed && layout.seed,
        pinned && "shadow-[inset_2px_0_0] shadow-accent",
        all ? "bg-accent-tint" : "bg-surface hover:bg-sunken",
      )}
    >
      {run && group && drawn ? (
        <Suspense fallback={<PlaceholderCells columns={columns} />}>
          <GroupCells
            {...{ group, run, selected, isOpen, current, cards, now, columns, values }}
            algorithm={algorithmName(run.algo)}
          />
        </Suspense>
      ) : run && drawn ? (
        <RunCells
          run={run}
          selected={all}
          current={current}
          algorithm={algorithmName(run.algo)}
          {...{ cards, now, columns, values }}
        />
      ) : (
        <PlaceholderCells columns={columns} />
      )}
    </div>
  );
});

interface RunCellsProps {
  run: Run;
  selected: boolean;
  current: boolean;
  /** Display name of the algorithm. */
  algorithm: string;
  /** Whether rows are shown as cards, with the age beside the status instead of in a column. */
  cards: boolean;
  now: number;
  columns: readonly string[];
  values: ExtraValues;
}

const RunCells = memo(function RunCells(props: RunCellsProps) {
  const { run, selected, current, algorithm, cards, now, columns, values } = props;
  const tabIndex = current ? 0 : -1;
  const cells = {
    ...settingCells(run, algorithm),
    status: (
      <div role="gridcell" className={clsx(layout.status, "flex items-center gap-2")}>
        <StatusBadge status={run.status} />
        {cards && <CardAge run={run} now={now} />}
      </div>
    ),
    progress: (
      <ProgressCell
        key={run.id}
        text={progressText(run)}
        share={progress(run)}
        label={`Progress of ${run.name}`}
        live={isActive(run)}
      />
    ),
    best: (
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
    ),
    trend: (
      <div role="gridcell" className={clsx(layout.roomy, layout.spark)}>
        <Sparkline
          values={run.sparkline}
          className={clsx("h-6.5 w-full", isActive(run) ? "text-chart-mean" : "text-chart-raw")}
        />
      </div>
    ),
    age: <AgeCell run={run} now={now} cards={cards} />,
  };
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
            {algorithm} · {shortEnvironment(run.env_id)} · {presetName(run.preset)} ·{" "}
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
      <Cells columns={columns} cells={cells} runIds={[run.id]} values={values} />
      <MenuCell label={`Actions for ${run.name}`} tabIndex={tabIndex} />
    </>
  );
});

const SHOWN = 2;

function RunTags({ tags }: { tags: readonly string[] }) {
  const rest = tags.slice(SHOWN);
  return (
    <>
      {tags.slice(0, SHOWN).map((tag) => (
        <span
          key={tag}
          className="max-w-24 shrink-0 truncate rounded-sm bg-rest-tint px-1 text-ink-soft"
        >
          {tag}
        </span>
      ))}
      {rest.length > 0 && <span title={rest.join(", ")}>+{rest.length}</span>}
    </>
  );
}

const line = "block h-2.5 rounded-sm bg-rest-tint";

/** The cells of a row whose run is not loaded. */
export function PlaceholderCells({ columns = STANDARD }: { columns?: readonly string[] }) {
  return (
    <>
      <div role="gridcell" className={layout.select} />
      <div role="rowheader" aria-label="Loading" className={clsx(layout.name, "space-y-1.5")}>
        <span className={clsx(line, "w-36 max-w-full")} />
        <span className={clsx(line, "w-20 max-w-full")} />
      </div>
      {columns.map((id) => {
        const { shown, area, end, bar } = isStandard(id) ? COLUMNS[id] : EXTRA;
        return (
          <div
            key={id}
            role="gridcell"
            className={clsx(shown && layout[shown], area ? layout[area] : "max-md:hidden!")}
          >
            <span className={clsx(line, bar, end && "ml-auto")} />
          </div>
        );
      })}
      <div role="gridcell" className={layout.menu} />
    </>
  );
}

/** A column that is not standard, while its row loads. */
const EXTRA = { shown: undefined, area: undefined, end: true, bar: "w-10" } as const;

export interface ProgressText {
  /** The share or the number of steps done. */
  done: string;
  /** Time left, time taken, or place in the queue. */
  note: string;
}

/** A run's progress in a few words. */
function progressText(run: Run): ProgressText {
  const budget = brief(run.end_step);
  switch (run.status) {
    case "created":
      return { done: `0 of ${budget} steps`, note: "" };
    case "queued":
      return {
        done: run.queue_position ? `Waiting, ${place(run.queue_position)}` : "Waiting",
        note: "",
      };
    case "starting":
      return { done: "Starting…", note: hasLength(run) ? `${budget} steps` : "" };
    case "running": {
      if (!hasLength(run)) {
        const note = run.actor === "human" ? "being played" : "in its own program";
        return { done: `${brief(run.step)} steps`, note };
      }
      const left = remaining(run);
      return { done: percent(progress(run)), note: left === null ? "" : `${duration(left)} left` };
    }
    case "pausing":
      return { done: percent(progress(run)), note: "pausing" };
    case "paused":
      return { done: percent(progress(run)), note: "paused" };
    case "stopping":
      return { done: percent(progress(run)), note: "saving" };
    default: {
      const short = hasLength(run) && run.step < run.end_step;
      const took = elapsed(run, 0);
      return {
        done: short ? `${brief(run.step)} of ${budget}` : `${brief(run.step)} steps`,
        note: took === null ? "" : duration(took),
      };
    }
  }
}

function place(n: number): string {
  return n === 1 ? "next" : `${n - 1} before it`;
}

/** `Solved by training at step 12,345, after 14s`, from what the service says. */
function solvedText(solved: NonNullable<Run["solved"]>): string {
  return `Solved by ${solved.by} ${solvedWords(solved)}`;
}
