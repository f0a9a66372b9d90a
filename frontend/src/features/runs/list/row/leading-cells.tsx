import clsx from "clsx";
import type { ReactNode } from "react";
import type { Run } from "@/api/types";
import { addressOf } from "@/lib/root-path";
import { EnvironmentStill } from "@/ui/environment-still";
import layout from "../layout/layout.module.css";

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
  /** Where a click anywhere on the row leads. */
  href: string;
  tabIndex: number;
  /** What stands below the name. */
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
