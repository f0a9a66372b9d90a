"use client";

import { useMetricRegistry } from "@/api/metric-registry";
import { COLOR_BY, type ColorBy } from "@/lib/url/comparison";
import { Select } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { RETURN } from "./curves";
import { metricChoices } from "./metric-choices";

interface CurveOptionsProps {
  metric: string;
  /** Metrics that any of the runs has logged. */
  logged: readonly string[];
  onMetric: (metric: string) => void;
  color: ColorBy;
  onColor: (color: ColorBy) => void;
  /** Whether each seed of a group has a curve of its own; null without groups. */
  apart: boolean | null;
  onApart: (apart: boolean) => void;
}

const COLOR_NAMES: Record<ColorBy, string> = {
  run: "Run",
  env_id: "Environment",
  algo: "Algorithm",
  preset: "Preset",
};

/** Selects the metric to draw, and what determines a run's colour. */
export function CurveOptions({
  metric,
  logged,
  onMetric,
  color,
  onColor,
  apart,
  onApart,
}: CurveOptionsProps) {
  const registry = useMetricRegistry();
  const groups = metricChoices(registry, [RETURN, metric, ...logged]);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-ink-soft">
      {apart !== null && (
        <Switch label="Single seeds" className="text-xs" checked={apart} onChange={onApart} />
      )}
      <label className="flex items-center gap-1.5">
        Metric
        <Select
          aria-label="Metric"
          className="w-56"
          value={metric}
          onChange={(event) => onMetric(event.currentTarget.value)}
        >
          {groups.map(({ title, metrics }) => (
            <optgroup key={title} label={title}>
              {metrics.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      </label>
      <label className="flex items-center gap-1.5">
        Colour by
        <Select
          aria-label="Colour by"
          className="w-36"
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
    </div>
  );
}
