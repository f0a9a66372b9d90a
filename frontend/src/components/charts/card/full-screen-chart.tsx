"use client";

import { Dialog } from "@/components/ui/dialog";
import { ChartBody } from "./chart-body";
import { type LiveChartOptions, useLiveChart } from "../live/use-live-chart";

interface FullScreenChartProps extends LiveChartOptions {
  onToggle: (id: string) => void;
  onClose: () => void;
}

/** The same chart in a full-screen dialog, with the same cursor and zoom as the page behind. */
export function FullScreenChart({ onToggle, onClose, ...options }: FullScreenChartProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={options.spec.title}
      description={options.spec.help}
      size="full"
    >
      <div className="flex h-full flex-col">
        <Body options={options} onToggle={onToggle} />
      </div>
    </Dialog>
  );
}

/** A component of its own inside the dialog, so that its canvas exists when the effect attaches the chart. */
function Body({
  options,
  onToggle,
}: {
  options: LiveChartOptions;
  onToggle: (id: string) => void;
}) {
  const live = useLiveChart(options);
  return (
    <ChartBody
      live={live}
      smoothing={options.settings.smoothing}
      hidden={options.hidden}
      onToggle={onToggle}
      className="grow basis-48"
    />
  );
}
