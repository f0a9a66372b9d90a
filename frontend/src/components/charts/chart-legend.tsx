import clsx from "clsx";
import { compact, count, decimal } from "@/lib/format";
import { valueAt } from "./prepare/align";
import type { ChartColor, ChartModel, ChartSpec, SeriesSpec } from "./prepare/model";

interface ChartLegendProps {
  spec: ChartSpec;
  model: ChartModel;
  /** Position under the pointer; null shows the newest values. */
  cursor: number | null;
}

const swatches: Record<ChartColor, string> = {
  "chart-raw": "bg-chart-raw",
  "chart-mean": "bg-chart-mean",
  "chart-reference": "bg-chart-reference",
};

export function ChartLegend({ spec, model, cursor }: ChartLegendProps) {
  const [steps, ...ys] = model.data;
  const step = cursor === null ? undefined : steps[cursor];
  return (
    <figcaption
      aria-hidden
      className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-1 pb-1 text-xs text-ink-faint tabular-nums"
    >
      {spec.series.map((series, i) => (
        <span key={series.metric} className="flex items-baseline gap-1.5">
          <Swatch series={series} />
          {series.label}
          <b className="min-w-11 font-medium text-ink">
            {decimal(cursor === null ? model.latest[i] : valueAt(ys[i] ?? [], cursor))}
          </b>
        </span>
      ))}
      {spec.references.map(({ label, value }) => (
        <span key={label} className="flex items-baseline gap-1.5">
          <span className="w-3.5 translate-y-[-0.25em] border-t border-dashed border-chart-reference" />
          {label}
          <b className="font-medium text-ink">{compact(value)}</b>
        </span>
      ))}
      <span className="ml-auto">{step !== undefined && `step ${count(step)}`}</span>
    </figcaption>
  );
}

function Swatch({ series: { look, color } }: { series: SeriesSpec }) {
  return (
    <span
      className={clsx(
        swatches[color],
        look === "line" ? "h-0.5 w-3.5 translate-y-[-0.25em]" : "size-1.5 translate-y-[-0.1em]",
        "rounded-full",
      )}
    />
  );
}
