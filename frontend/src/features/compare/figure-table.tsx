"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import type { Comparison } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import type { ComparedColumn } from "./columns";
import { type FigureCell, type FigureRow, figureRows } from "./figures";
import { RunTable, stickyClass } from "./run-table";
import type { SeriesStyles } from "./series-styles";
import { Swatch } from "./swatch";

interface FigureTableProps {
  comparison: Comparison;
  columns: readonly ComparedColumn[];
  seriesStyles: SeriesStyles;
  /** Placed at the end of the title line. */
  aside: ReactNode;
}

const nameClass = `${stickyClass} min-w-56`;

/** A column for each run, or for the seeds of a group; on phones a card for each figure. */
export function FigureTable({ comparison, columns, seriesStyles, aside }: FigureTableProps) {
  const rows = figureRows(comparison, columns);
  const nameOf = new Map(columns.map(({ id, label }) => [id, label]));
  return (
    <Card title="Figures" aside={aside} bodyClass="">
      <RunTable
        label="Table of figures"
        heading="Figure"
        nameClass={nameClass}
        columns={columns}
        seriesStyles={seriesStyles}
        className="text-sm max-md:hidden"
      >
        {rows.map(({ id, label, note, reason, cells }) => (
          <tr key={id} className="border-t border-line">
            <th scope="row" className={clsx(nameClass, "text-left font-medium")}>
              <FigureName {...{ label, reason }} />
              <span className="block text-xs font-normal text-ink-faint">{note}</span>
            </th>
            {cells.map((cell) => (
              <td key={cell.columnId} className="px-4 py-2 whitespace-nowrap">
                <Value cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </RunTable>
      <ul className="divide-y divide-line md:hidden">
        {rows.map(({ id, label, note, reason, cells }) => (
          <li key={id} className="px-4 py-3 text-sm">
            <h3 className="font-medium">
              <FigureName {...{ label, reason }} />
            </h3>
            <p className="text-xs text-ink-faint">{note}</p>
            <dl className="mt-2 flex flex-col gap-1.5 tabular-nums">
              {cells.map((cell) => (
                <div key={cell.columnId} className="flex items-center justify-between gap-3">
                  <dt className="flex min-w-0 items-center gap-2 text-ink-soft">
                    <Swatch seriesStyle={seriesStyles.get(cell.columnId)} />
                    <span className="truncate">{nameOf.get(cell.columnId)}</span>
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

function FigureName({ label, reason }: Pick<FigureRow, "label" | "reason">) {
  return (
    <span className="inline-flex items-center gap-1">
      {label}
      {reason && <ChartHelp title={label} text={reason} />}
    </span>
  );
}

function Value({ cell: { text, detail, best } }: { cell: FigureCell }) {
  return (
    <span className="inline-flex flex-col max-md:items-end">
      <span className={clsx("inline-flex items-center gap-2", best && "font-semibold")}>
        {text}
        {best && <Badge tone="good">best</Badge>}
      </span>
      {detail && <span className="text-xs text-ink-soft">{detail}</span>}
    </span>
  );
}
