import clsx from "clsx";
import type { ReactNode, Ref } from "react";
import type { Run } from "@/api/types";
import type { SeriesStyle } from "@/ui/series-style";
import { Swatch } from "./swatch";

interface TilesProps {
  /** Number of tiles. */
  count: number;
  label?: string;
  ref?: Ref<HTMLUListElement>;
  children: ReactNode;
}

/** Tiles side by side, one for each compared run. */
export function Tiles({ count, label, ref, children }: TilesProps) {
  return (
    <ul
      ref={ref}
      aria-label={label}
      className={clsx("grid gap-3 sm:grid-cols-2", count > 2 && "xl:grid-cols-3")}
    >
      {children}
    </ul>
  );
}

interface TileProps {
  run: Run;
  seriesStyle: SeriesStyle | undefined;
  children: ReactNode;
}

/** A tile with a run's name above its content. */
export function Tile({ run, seriesStyle, children }: TileProps) {
  return (
    <li aria-label={run.name} className="flex min-w-0 flex-col gap-1.5">
      <p className="flex min-w-0 items-center gap-2 text-sm">
        <Swatch seriesStyle={seriesStyle} />
        <span title={run.name} className="min-w-0 truncate font-medium">
          {run.name}
        </span>
      </p>
      {children}
    </li>
  );
}
