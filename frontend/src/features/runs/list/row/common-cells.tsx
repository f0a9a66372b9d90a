import clsx from "clsx";
import { EllipsisVertical } from "lucide-react";
import type { Run } from "@/api/types";
import { presetName } from "@/lib/number";
import { Progress } from "@/ui/progress";
import layout from "../layout/layout.module.css";
import type { ProgressText } from "./progress-text";
import { RunAge } from "./run-age";

/** Algorithm, environment and preset, where each has a column. */
export function SettingCells({ run, algorithm }: { run: Run; algorithm: string }) {
  return [algorithm, run.env_id, presetName(run.preset)].map((setting, column) => (
    <div key={column} role="gridcell" className={clsx(layout.wide, "truncate text-ink-soft")}>
      {setting}
    </div>
  ));
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

/** The age in a column of its own; on a card it stands beside the status. */
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
