"use client";

import { ZoomOut } from "lucide-react";
import type { MetricAxis } from "@/stream/series/axis";
import { Button } from "@/ui/button";
import { Segmented } from "@/ui/segmented";
import { Slider } from "@/ui/slider";
import { Switch } from "@/ui/switch";
import { ChartHelp } from "./chart-card";
import { type ChartGroup, useZoomWindow } from "./chart-group";
import { type ChartSettings, MOST_SMOOTHING, smoothingLabel } from "./chart-settings";

interface ChartToolbarProps {
  settings: ChartSettings;
  onChange: (change: Partial<ChartSettings>) => void;
  group: ChartGroup;
  /** Whether any chart of the page has events to mark. */
  hasEvents?: boolean;
  /** Whether there is something to draw behind the curves. */
  hasPast?: boolean;
}

const axes: { value: MetricAxis; label: string }[] = [
  { value: "step", label: "Steps" },
  { value: "episode", label: "Episodes" },
  { value: "time", label: "Time" },
];

const SMOOTHING_HELP =
  "Exponential moving average over the points (episodes or updates). At 0.90, each earlier point has 10 % less weight than the one after it. Zoom and axis do not change the smoothing. 0 shows the points without smoothing.";

/** Controls for the settings that all charts of the page share. */
export function ChartToolbar({
  settings,
  onChange,
  group,
  hasEvents = false,
  hasPast = false,
}: ChartToolbarProps) {
  const window = useZoomWindow(group);
  return (
    <div
      role="group"
      aria-label="Charts"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 text-xs text-ink-soft"
    >
      <span className="flex items-center gap-1.5">
        Smoothing
        <ChartHelp title="Smoothing" text={SMOOTHING_HELP} />
        <Slider
          label="Smoothing"
          className="w-20"
          min={0}
          max={MOST_SMOOTHING}
          step={0.01}
          value={settings.smoothing}
          valueText={smoothingLabel(settings.smoothing)}
          onChange={(smoothing) => onChange({ smoothing })}
        />
        <output className="w-19 tabular-nums">{smoothingLabel(settings.smoothing)}</output>
      </span>
      <Segmented
        legend="Horizontal axis"
        options={axes}
        value={settings.axis}
        onChange={(axis) => onChange({ axis })}
      />
      <Switch
        label="Ignore outliers"
        checked={settings.outliers}
        onChange={(outliers) => onChange({ outliers })}
        className="text-xs"
      />
      {hasEvents && (
        <Switch
          label="Events"
          checked={settings.events}
          onChange={(events) => onChange({ events })}
          className="text-xs"
        />
      )}
      {hasPast && (
        <Switch
          label="Past"
          checked={settings.past}
          onChange={(past) => onChange({ past })}
          className="text-xs"
        />
      )}
      <Button
        size="sm"
        aria-label="Reset zoom"
        disabled={!window}
        onClick={group.reset}
        className={window ? undefined : "max-sm:hidden"}
        title="Reset zoom"
        icon={<ZoomOut aria-hidden className="size-3.5" />}
      />
    </div>
  );
}
