import type { SeriesStyle } from "./series-style";

/** A piece of the line of a series, beside its name. */
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
