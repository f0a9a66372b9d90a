import clsx from "clsx";
import type { SeriesSpec } from "../prepare/model";

interface SeriesSwatchProps {
  series: Pick<SeriesSpec, "mode" | "color" | "dash">;
  /** Drawn like the points behind a smoothed line. */
  faint?: boolean;
}

/** A sample of how a series is drawn in its chart. */
export function SeriesSwatch({ series: { mode, color, dash = [] }, faint }: SeriesSwatchProps) {
  const stroke = `var(--${color})`;
  return (
    <svg
      aria-hidden
      viewBox="0 0 16 8"
      className={clsx("h-2 w-4 shrink-0", faint && "opacity-60")}
      style={{ color: stroke }}
    >
      {mode !== "points" && (
        <line
          x1="0"
          y1="4"
          x2="16"
          y2="4"
          stroke="currentColor"
          strokeWidth={faint ? 1 : 2}
          strokeDasharray={dash.map((length) => length * 0.6).join(" ")}
        />
      )}
      {mode === "points" &&
        [3, 8, 13].map((x, i) => (
          <circle key={x} cx={x} cy={[5, 2.5, 4.5][i]} r="1.25" fill="currentColor" />
        ))}
      {mode === "markers" && <circle cx="8" cy="4" r="2.75" fill="currentColor" />}
    </svg>
  );
}
