"use client";

import { Columns3 } from "lucide-react";
import type { StepsInfo } from "@/api/types";
import { createKeptStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { Button } from "@/ui/button";
import { OptionList } from "@/ui/combobox-options";
import { Popover } from "@/ui/popover";
import {
  type ColumnChoice,
  columnsOf,
  FIRST_CHOICE,
  FIXED,
  isColumnChoice,
  isShown,
  MOST_COMPONENTS,
  toggled,
} from "./step-columns";

/** Which columns of steps are shown, for every evaluation; kept in this browser. */
export const columnChoice = createKeptStore<ColumnChoice>(
  "rlviz-step-columns",
  FIRST_CHOICE,
  (kept) => (isColumnChoice(kept) ? kept : null),
);

/** Chooses the columns of the table of steps. */
export function ColumnChoiceButton({ info }: { info: StepsInfo }) {
  const choice = useStore(columnChoice);
  const changed = choice.added.length + choice.removed.length > 0;
  const left = info.observation.numbers - MOST_COMPONENTS;
  return (
    <Popover
      label="Columns of the table"
      align="end"
      className="w-72"
      trigger={
        <Button size="sm" icon={<Columns3 aria-hidden className="size-3.5" />}>
          Columns
        </Button>
      }
    >
      <OptionList
        label="Columns"
        options={columnsOf(info).map(({ name, title, group }) => ({
          ...{ value: name, group, disabled: name === FIXED },
          label: name === "episode" ? "Episode" : title,
        }))}
        chosen={(name) => isShown(name, choice)}
        onChoose={(name) => columnChoice.set(toggled(name, choice))}
        footer={
          (changed || left > 0) && (
            <div className="flex flex-col gap-1 border-t border-line p-1">
              {left > 0 && (
                <p className="px-2 py-1 text-xs text-ink-soft">
                  {left} more components are in the exports.
                </p>
              )}
              {changed && (
                <Button size="sm" variant="quiet" onClick={() => columnChoice.set(FIRST_CHOICE)}>
                  As at first
                </Button>
              )}
            </div>
          )
        }
      />
    </Popover>
  );
}
