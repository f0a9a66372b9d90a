"use client";

import { MoreHorizontal } from "lucide-react";
import { Button } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";
import type { LiveChart } from "../live/live-chart";
import type { ChartMark } from "../prepare/marks";
import { type ChartSettings, toggledLog } from "../settings/chart-settings";

interface ChartToolsProps {
  chart: LiveChart;
  /** Marks that are shown, to be drawn into a downloaded picture. */
  marks: readonly ChartMark[];
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
}

/** The tools of one chart: logarithmic axis and downloads. */
export function ChartTools({ chart, marks, settings, onSettings }: ChartToolsProps) {
  const { id, title } = chart.spec;
  const log = settings.log.includes(id);
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        aria-label={`${title}: logarithmic axis`}
        title="Logarithmic axis"
        aria-pressed={log}
        className={log ? "bg-accent-tint! text-accent!" : undefined}
        onClick={() => onSettings({ log: toggledLog(settings, id) })}
      >
        Log
      </Button>
      <Menu
        trigger={
          <Button
            size="sm"
            variant="quiet"
            aria-label={`${title}: download`}
            icon={<MoreHorizontal aria-hidden className="size-3.5" />}
          />
        }
      >
        <MenuItem onSelect={() => chart.downloadPng(marks)}>Download picture (PNG)</MenuItem>
        <MenuItem onSelect={() => chart.downloadCsv()}>Download points (CSV)</MenuItem>
      </Menu>
    </>
  );
}
