"use client";

import { ArrowDown, ArrowUp, LayoutGrid } from "lucide-react";
import { useMetricRegistry } from "@/api/metric-registry";
import { movedItem } from "@/lib/order";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import { Segmented } from "@/ui/segmented";
import { Select } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { COLOR_BY, type ColorBy, type Columns, COLUMNS } from "./comparison";
import { metricChoices, RETURN } from "./curves";

interface ChartOptionsProps {
  /** The metrics that are drawn. */
  drawn: readonly string[];
  /** Whether the user chose them. */
  isChosen: boolean;
  /** Metrics that any of the runs has logged. */
  logged: readonly string[];
  /** Null: the metrics that all runs share. */
  onMetrics: (metrics: readonly string[] | null) => void;
  color: ColorBy;
  onColor: (color: ColorBy) => void;
  columns: Columns;
  onColumns: (columns: Columns) => void;
  /** Whether each seed of a group has its own curve; null without groups. */
  apart: boolean | null;
  onApart: (apart: boolean) => void;
}

const COLOR_NAMES: Record<ColorBy, string> = {
  run: "Run",
  env_id: "Environment",
  algo: "Algorithm",
  preset: "Preset",
};

/** Which metrics are drawn, how many charts are in a row, and what determines a line's colour. */
export function ChartOptions(props: ChartOptionsProps) {
  const { color, onColor, columns, onColumns, apart, onApart } = props;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-ink-soft">
      {apart !== null && (
        <Switch label="Single seeds" className="text-xs" checked={apart} onChange={onApart} />
      )}
      <label className="flex items-center gap-1.5">
        Colour by
        <Select
          aria-label="Colour by"
          className="w-32"
          value={color}
          onChange={(event) => onColor(event.currentTarget.value as ColorBy)}
        >
          {COLOR_BY.map((by) => (
            <option key={by} value={by}>
              {COLOR_NAMES[by]}
            </option>
          ))}
        </Select>
      </label>
      <span className="max-md:hidden">
        <Segmented
          legend="Charts in a row"
          options={COLUMNS.map((count) => ({ value: String(count), label: String(count) }))}
          value={String(columns)}
          onChange={(value) => onColumns(Number(value) as Columns)}
        />
      </span>
      <MetricPicker {...props} />
    </div>
  );
}

type MetricPickerProps = Pick<ChartOptionsProps, "drawn" | "isChosen" | "logged" | "onMetrics">;

/** Chooses the charts, and puts them in order. A chart that is added comes last. */
function MetricPicker({ drawn, isChosen, logged, onMetrics }: MetricPickerProps) {
  const registry = useMetricRegistry();
  const groups = metricChoices(registry, [RETURN, ...drawn, ...logged]);
  const toggle = (name: string) => {
    const next = drawn.includes(name) ? drawn.filter((one) => one !== name) : [...drawn, name];
    onMetrics(next.length > 0 ? next : null);
  };
  return (
    <Popover
      label="Metrics"
      align="end"
      className="w-80"
      trigger={
        <Button size="sm" icon={<LayoutGrid aria-hidden className="size-3.5" />}>
          Metrics
        </Button>
      }
    >
      <div className="flex max-h-96 flex-col overflow-y-auto p-2 text-sm">
        {drawn.length > 1 && (
          <ol aria-label="Order of the charts" className="border-b border-line pb-1.5">
            {drawn.map((name, place) => {
              const { label } = registry.get(name);
              const move = (by: number) => onMetrics(movedItem(drawn, name, { by }));
              return (
                <li key={name} className="flex min-h-7 items-center px-1 max-md:min-h-10">
                  <span className="min-w-0 grow truncate">{label}</span>
                  <Button
                    size="sm"
                    variant="quiet"
                    aria-label={`Move ${label} up`}
                    unavailable={place === 0 && "It is the first"}
                    onClick={() => move(-1)}
                    icon={<ArrowUp aria-hidden className="size-3.5" />}
                  />
                  <Button
                    size="sm"
                    variant="quiet"
                    aria-label={`Move ${label} down`}
                    unavailable={place === drawn.length - 1 && "It is the last"}
                    onClick={() => move(1)}
                    icon={<ArrowDown aria-hidden className="size-3.5" />}
                  />
                </li>
              );
            })}
          </ol>
        )}
        {groups.map(({ title, metrics }) => (
          <fieldset key={title} className="py-1">
            <legend className="px-1 text-2xs font-medium text-ink-faint">{title}</legend>
            {metrics.map(({ name, label }) => (
              <label
                key={name}
                className="flex min-h-7 items-center gap-2 rounded-sm px-1 hover:bg-rest-tint max-md:min-h-10"
              >
                <input
                  type="checkbox"
                  checked={drawn.includes(name)}
                  onChange={() => toggle(name)}
                  className="accent-accent"
                />
                <span className="min-w-0 truncate" title={name}>
                  {label}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
      <div className="flex items-center justify-between gap-2 border-t border-line px-3 py-2 text-xs text-ink-faint">
        {isChosen ? "Your choice" : "What the runs share"}
        {isChosen && (
          <Button size="sm" onClick={() => onMetrics(null)}>
            Show what they share
          </Button>
        )}
      </div>
    </Popover>
  );
}
