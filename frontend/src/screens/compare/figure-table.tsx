"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import type { Comparison } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { SeedInterval } from "@/charts/seed-interval";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Swatch } from "@/ui/swatch";
import { type FigureCell, type FigureRow, figureRows } from "./figures";
import type { ComparedColumn, SeriesStyles } from "./series-styles";

interface RunTableProps {
  /** Accessible name of the scrolling table. */
  label: string;
  /** Title of the first column, which names the rows. */
  heading: string;
  /** Classes of the cells in the first column. It stays visible while the columns of many runs scroll. */
  nameClass: string;
  /** `id`: id of the run whose series marks it. */
  columns: readonly { id: string; label: string }[];
  seriesStyles: SeriesStyles;
  className?: string;
  /** The rows. */
  children: ReactNode;
}

/** Classes that keep the first column in view. */
export const stickyClass = "sticky left-0 bg-surface px-4 py-2";

/** A table with a column for each compared run, or for several together, which scrolls sideways. */
export function RunTable(props: RunTableProps) {
  const { label, heading, nameClass, columns, seriesStyles, className, children } = props;
  return (
    <div
      role="group"
      tabIndex={0}
      aria-label={label}
      className={clsx("overflow-x-auto -outline-offset-2!", className)}
    >
      <table className="w-full border-collapse tabular-nums">
        <thead>
          <tr className="text-left text-xs text-ink-faint">
            <th scope="col" className={clsx(nameClass, "font-medium")}>
              {heading}
            </th>
            {columns.map(({ id, label: title }) => (
              <th key={id} scope="col" className="max-w-48 min-w-32 px-4 py-2 font-medium">
                <span className="flex items-center gap-2">
                  <Swatch seriesStyle={seriesStyles.get(id)} />
                  <span title={title} className="truncate text-ink">
                    {title}
                  </span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

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

function Value({ cell: { text, detail, seeds, best } }: { cell: FigureCell }) {
  return (
    <span className="inline-flex flex-col max-md:items-end">
      <span className={clsx("inline-flex items-center gap-2", best && "font-semibold")}>
        {text}
        {best && <Badge tone="good">best</Badge>}
      </span>
      <SeedInterval count={seeds} className="text-xs">
        {detail}
      </SeedInterval>
    </span>
  );
}
