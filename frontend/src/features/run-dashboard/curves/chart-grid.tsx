import type { ReactNode } from "react";
import type { ChartSpec } from "@/charts/prepare/model";

interface ChartGridProps {
  specs: readonly ChartSpec[];
  /** Renders a chart of the height of that class. */
  children: (spec: ChartSpec, height: string) => ReactNode;
}

/** Charts in two columns where there is room for them; a last one without a neighbour has the whole row, and is lower. */
export function ChartGrid({ specs, children }: ChartGridProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 sm:[&>:last-child:nth-child(odd)]:col-span-2">
      {specs.map((spec, place) =>
        children(spec, place % 2 === 0 && place === specs.length - 1 ? "h-40 sm:h-32" : "h-40"),
      )}
    </div>
  );
}
