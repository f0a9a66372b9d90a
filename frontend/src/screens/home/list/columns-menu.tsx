"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { analyticsSchemaQuery } from "@/api/analytics";
import { type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import type { TableColumnInfo } from "@/api/types";
import { useStore } from "@/lib/use-store";
import { Button } from "@/ui/button";
import { type ComboboxOption, OptionList } from "@/ui/combobox-options";
import { Popover } from "@/ui/popover";
import {
  changeColumns,
  columnChoice,
  metricColumn,
  movedColumn,
  STANDARD,
  STANDARD_CHOICE,
  toggledColumn,
} from "./column-choice";
import { columnOf } from "./columns";

/** Columns of the table of runs that the standard columns show already. */
const SHOWN_ALREADY: readonly string[] = [
  ...["name", "algo", "env_id", "preset", "status"],
  ...["best_moving_average", "created_at"],
];

/** Which columns the list has, and in which order. Opens when it is mounted, since it is loaded with its first press. */
export default function ColumnsMenu({ trigger }: { trigger: ReactNode }) {
  const [open, setOpen] = useState(true);
  const registry = useMetricRegistry();
  const choice = useStore(columnChoice) ?? STANDARD_CHOICE;
  const schema = useQuery(analyticsSchemaQuery);
  const runs = schema.data?.tables.find(({ name }) => name === "runs")?.columns ?? [];
  return (
    <Popover
      label="Columns"
      trigger={trigger}
      open={open}
      onOpenChange={setOpen}
      align="end"
      className="flex max-h-[min(36rem,80dvh)] w-80 flex-col"
    >
      <ol aria-label="Shown columns" className="max-h-56 shrink-0 overflow-y-auto p-2">
        {choice.order.map((id, place) => {
          const { title } = columnOf(id, registry);
          return (
            <li
              key={id}
              className="flex min-h-8 items-center gap-1 rounded-md pl-2 text-sm hover:bg-sunken"
            >
              <span className="min-w-0 grow truncate">{title}</span>
              <Button
                size="sm"
                variant="quiet"
                className="px-1.5!"
                aria-label={`Move ${title} up`}
                disabled={place === 0}
                onClick={() => changeColumns((old) => movedColumn(old, id, -1))}
                icon={<ArrowUp aria-hidden className="size-3.5" />}
              />
              <Button
                size="sm"
                variant="quiet"
                className="px-1.5!"
                aria-label={`Move ${title} down`}
                disabled={place === choice.order.length - 1}
                onClick={() => changeColumns((old) => movedColumn(old, id, 1))}
                icon={<ArrowDown aria-hidden className="size-3.5" />}
              />
              <Button
                size="sm"
                variant="quiet"
                className="px-1.5!"
                aria-label={`Hide ${title}`}
                onClick={() => changeColumns((old) => toggledColumn(old, id))}
                icon={<X aria-hidden className="size-3.5" />}
              />
            </li>
          );
        })}
      </ol>
      <div className="flex min-h-0 grow flex-col border-t border-line">
        <OptionList
          label="Columns"
          options={columnOptions(runs, registry)}
          chosen={(id) => choice.order.includes(id)}
          onChoose={(id) => changeColumns((old) => toggledColumn(old, id))}
          loading={schema.isPending}
          none="Nothing found"
          footer={
            <div className="flex items-center justify-between gap-2 border-t border-line px-3 py-1.5">
              <span className="text-2xs text-ink-faint">
                Columns that do not fit are left out from the end.
              </span>
              <Button size="sm" variant="quiet" onClick={() => columnChoice.set(null)}>
                Reset
              </Button>
            </div>
          }
        />
      </div>
    </Popover>
  );
}

function columnOptions(
  runs: readonly TableColumnInfo[],
  registry: MetricRegistry,
): ComboboxOption[] {
  const option = (id: string, group: string, detail?: string): ComboboxOption => ({
    value: id,
    label: columnOf(id, registry).title,
    group,
    keywords: [id],
    detail,
  });
  const groupOf = (name: string) =>
    name.startsWith("hp_")
      ? "Hyperparameters"
      : name.startsWith("option_")
        ? "Environment options"
        : "Figures of the run";
  return [
    ...STANDARD.map((id) => option(id, "Standard")),
    ...runs
      .filter(({ name }) => !SHOWN_ALREADY.includes(name))
      .map(({ name, description }) =>
        option(name, groupOf(name), name.startsWith("hp_") ? undefined : description),
      )
      .sort((a, b) => (a.group ?? "").localeCompare(b.group ?? "")),
    ...registry.all.map(({ name, label }) => ({
      ...option(metricColumn(name), "Metrics, newest value"),
      label,
      keywords: [name],
    })),
  ];
}
