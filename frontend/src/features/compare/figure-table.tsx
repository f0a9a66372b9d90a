"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import type { Comparison } from "@/lib/api";
import { type FigureCell, figureRows } from "./figures";
import type { SeriesStyles } from "./series-styles";
import { Swatch } from "./swatch";

interface FigureTableProps {
  comparison: Comparison;
  seriesStyles: SeriesStyles;
  /** Stands at the end of the title line. */
  aside: ReactNode;
}

/** Stays in sight while many runs scroll past. */
const nameClass = "sticky left-0 min-w-56 bg-surface px-4 py-2";

/** One column a run; on a phone one card a figure. */
export function FigureTable({ comparison, seriesStyles, aside }: FigureTableProps) {
  const rows = figureRows(comparison);
  const nameOf = new Map(comparison.runs.map(({ run }) => [run.id, run.name]));
  return (
    <Card title="Figures" aside={aside} bodyClass="">
      <div
        role="group"
        tabIndex={0}
        aria-label="Table of figures"
        className="overflow-x-auto -outline-offset-2! max-md:hidden"
      >
        <table className="w-full border-collapse text-sm tabular-nums">
          <thead>
            <tr className="text-left text-xs text-ink-faint">
              <th scope="col" className={clsx(nameClass, "font-medium")}>
                Figure
              </th>
              {comparison.runs.map(({ run }) => (
                <th key={run.id} scope="col" className="max-w-48 min-w-32 px-4 py-2 font-medium">
                  <span className="flex items-center gap-2">
                    <Swatch seriesStyle={seriesStyles.get(run.id)} />
                    <span title={run.name} className="truncate text-ink">
                      {run.name}
                    </span>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, label, note, reason, cells }) => (
              <tr key={id} title={reason || undefined} className="border-t border-line">
                <th scope="row" className={clsx(nameClass, "text-left font-medium")}>
                  {label}
                  <span className="block text-xs font-normal text-ink-faint">{note}</span>
                </th>
                {cells.map((cell) => (
                  <td key={cell.runId} className="px-4 py-2 whitespace-nowrap">
                    <Value cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul className="divide-y divide-line md:hidden">
        {rows.map(({ id, label, note, cells }) => (
          <li key={id} className="px-4 py-3 text-sm">
            <h3 className="font-medium">{label}</h3>
            <p className="text-xs text-ink-faint">{note}</p>
            <dl className="mt-2 flex flex-col gap-1.5 tabular-nums">
              {cells.map((cell) => (
                <div key={cell.runId} className="flex items-center justify-between gap-3">
                  <dt className="flex min-w-0 items-center gap-2 text-ink-soft">
                    <Swatch seriesStyle={seriesStyles.get(cell.runId)} />
                    <span className="truncate">{nameOf.get(cell.runId)}</span>
                  </dt>
                  <dd className="shrink-0">
                    <Value cell={cell} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Value({ cell: { text, best } }: { cell: FigureCell }) {
  return (
    <span className={clsx("inline-flex items-center gap-2", best && "font-semibold")}>
      {text}
      {best && <Badge tone="good">best</Badge>}
    </span>
  );
}
