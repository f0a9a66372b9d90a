"use client";

import { Dialog } from "@/ui/dialog";
import { ChartBody, ChartTools } from "./chart-body";
import type { ChartSettings } from "./chart-settings";
import { ChartToolbar } from "./chart-toolbar";
import { type LiveChartOptions, useLiveChart } from "./live-chart";
import type { ChartMark } from "./prepare/marks";

interface FullScreenChartProps extends LiveChartOptions {
  marks: readonly ChartMark[];
  hasPast?: boolean;
  onSettings: (change: Partial<ChartSettings>) => void;
  onToggle: (id: string) => void;
  onClose: () => void;
}

/** The chart in a full-screen dialog, with all its tools. Cursor and zoom are those of the page. */
export function FullScreenChart({ onClose, ...props }: FullScreenChartProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={props.spec.title}
      description={props.spec.help}
      size="full"
    >
      <div className="flex h-full flex-col gap-3">
        <Body {...props} />
      </div>
    </Dialog>
  );
}

/** A separate component inside the dialog, so that its canvas exists when the effect attaches the chart. */
function Body(props: Omit<FullScreenChartProps, "onClose">) {
  const { marks, hasPast, onSettings, onToggle, ...options } = props;
  const live = useLiveChart(options);
  const { settings, group, hidden } = options;
  const shownMarks = settings.events ? marks : [];
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <ChartToolbar
          {...{ settings, group, hasPast }}
          onChange={onSettings}
          hasEvents={marks.length > 0}
        />
        <span className="flex items-center">
          <ChartTools
            chart={live.chart}
            marks={shownMarks}
            settings={settings}
            onSettings={onSettings}
          />
        </span>
      </div>
      <ChartBody
        {...{ live, hidden, onToggle }}
        marks={shownMarks}
        smoothing={settings.smoothing}
        className="grow basis-48"
      />
    </>
  );
}
