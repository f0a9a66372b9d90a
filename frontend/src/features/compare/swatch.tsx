import type { SeriesStyle } from "@/ui/series-style";

/** A sample of a run's line in its colour and dash. */
export function Swatch({ seriesStyle }: { seriesStyle: SeriesStyle | undefined }) {
  if (!seriesStyle) return null;
  return (
    <svg aria-hidden viewBox="0 0 24 8" className="h-2 w-6 shrink-0">
      <line
        x1="1"
        y1="4"
        x2="23"
        y2="4"
        strokeWidth="2.5"
        strokeDasharray={seriesStyle.dash.join(" ")}
        style={{ stroke: `var(--${seriesStyle.color})` }}
      />
    </svg>
  );
}
