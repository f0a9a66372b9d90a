import clsx from "clsx";
import { EllipsisVertical } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import type { Run } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { presetName, shortEnvironment } from "@/lib/number";
import { addressOf } from "@/lib/root-path";
import { EnvironmentStill } from "@/ui/environment-still";
import { Progress } from "@/ui/progress";
import { isStandard, type StandardColumn } from "./column-choice";
import { extraText, type ExtraText, type ExtraValues } from "./extra-values";
import layout from "./layout.module.css";
import type { ProgressText } from "./run-row";

/** The cells of algorithm, environment and preset, by the id of their column. */
export function settingCells(run: Run, algorithm: string) {
  const cell = (setting: string, title = setting) => (
    <div role="gridcell" title={title} className={clsx(layout.wide, "truncate text-ink-soft")}>
      {setting}
    </div>
  );
  return {
    algo: cell(algorithm),
    env_id: cell(shortEnvironment(run.env_id), run.env_id),
    preset: cell(presetName(run.preset)),
  };
}

interface CellsProps {
  columns: readonly string[];
  /** The cells of the standard columns. */
  cells: Readonly<Record<StandardColumn, ReactNode>>;
  /** The runs of the line. */
  runIds: readonly string[];
  values: ExtraValues;
}

/** The cells of a line in the order of its columns. */
export function Cells({ columns, cells, runIds, values }: CellsProps) {
  return columns.map((column) => (
    <Fragment key={column}>
      {isStandard(column) ? cells[column] : <ExtraCell extra={extraText(column, runIds, values)} />}
    </Fragment>
  ));
}

function ExtraCell({ extra }: { extra: ExtraText | null }) {
  return (
    <div
      role="gridcell"
      title={extra?.note ?? extra?.text}
      className="z-1 truncate text-right text-xs text-ink-soft tabular-nums"
    >
      {extra?.text}
    </div>
  );
}

interface ProgressCellProps {
  text: ProgressText;
  share: number;
  label: string;
  live: boolean;
}

export function ProgressCell({ text, ...progress }: ProgressCellProps) {
  return (
    <div role="gridcell" className={clsx(layout.progress, "min-w-0")}>
      <p className="mb-1 flex justify-between gap-2 text-xs whitespace-nowrap tabular-nums">
        <span className="truncate text-ink-soft">{text.done}</span>
        <span className="truncate text-ink-faint">{text.note}</span>
      </p>
      <Progress {...progress} />
    </div>
  );
}

/** The age in a separate column; on a card, it is beside the status. */
export function AgeCell({ run, now, cards }: { run: Run; now: number; cards: boolean }) {
  return (
    <div
      role="gridcell"
      className={clsx(
        layout.roomy,
        "text-right text-xs whitespace-nowrap text-ink-soft tabular-nums max-md:hidden!",
      )}
    >
      {!cards && <RunAge run={run} now={now} />}
    </div>
  );
}

export function CardAge({ run, now }: { run: Run; now: number }) {
  return (
    <span className="text-xs text-ink-faint">
      <RunAge run={run} now={now} />
    </span>
  );
}

export function MenuCell({ label, tabIndex }: { label: string; tabIndex: number }) {
  return (
    <div role="gridcell" className={clsx(layout.menu, "z-1 max-md:self-start")}>
      <button
        type="button"
        data-act="menu"
        aria-label={label}
        aria-haspopup="menu"
        tabIndex={tabIndex}
        className="grid size-8 place-items-center rounded-md text-ink-faint transition-colors hover:bg-rest-tint hover:text-ink max-md:size-10"
      >
        <EllipsisVertical aria-hidden className="size-4" />
      </button>
    </div>
  );
}

interface SelectCellProps {
  label: string;
  /** `some`: of a group some are selected and some are not. */
  selected: "all" | "some" | "none";
  tabIndex: number;
}

/** The box by which a row is selected; the list listens for its clicks. */
export function SelectCell({ label, selected, tabIndex }: SelectCellProps) {
  return (
    <div role="gridcell" className={clsx(layout.select, "z-1 max-md:self-start")}>
      <label className="grid size-7 place-items-center rounded-md max-md:size-10">
        <input
          type="checkbox"
          data-act="select"
          aria-label={label}
          checked={selected === "all"}
          ref={(box) => {
            if (box) box.indeterminate = selected === "some";
          }}
          readOnly
          tabIndex={tabIndex}
          className="size-4 accent-accent"
        />
      </label>
    </div>
  );
}

interface NameCellProps {
  run: Run;
  /** The target of a click anywhere on the row. */
  href: string;
  tabIndex: number;
  /** The line below the name. */
  children: ReactNode;
}

/** The picture of a run's environment, its name as the row's link, and a line of facts. */
export function NameCell({ run, href, tabIndex, children }: NameCellProps) {
  return (
    <div role="rowheader" className={clsx(layout.name, "flex min-w-0 items-center gap-2.5")}>
      <EnvironmentStill key={run.still_url} url={run.still_url} className="h-7 w-10.5" />
      <div className="min-w-0 grow">
        <a
          href={addressOf(href)}
          tabIndex={tabIndex}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {run.name}
        </a>
        <p className="flex min-w-0 items-center gap-1.5 text-2xs text-ink-faint">{children}</p>
      </div>
    </div>
  );
}

interface RunAgeProps {
  run: Pick<Run, "created_at">;
  /** The current time in milliseconds; passed in, so that the table has one clock for all rows. */
  now: number;
}

function RunAge({ run, now }: RunAgeProps) {
  return (
    <time dateTime={run.created_at} title={`Created ${moment(run.created_at)}`}>
      {age(run.created_at, now)}
    </time>
  );
}
