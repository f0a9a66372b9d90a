"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type AnalyticsQuestion, runGroupsQuery } from "@/api/analytics";
import type { RunsInGroup } from "@/api/types";
import { SeedInterval } from "@/charts/seed-interval";
import { decimal, interval, NONE, plural } from "@/lib/number";
import { Card } from "@/ui/card";
import { Answer, NO_RUNS, useValueName } from "./answer";
import { columnName, extentOf, placeIn } from "./columns";
import { titleOf } from "./group-list";
import { NoValues, scaleName, ScaleNote } from "./scatter";

interface PivotTableProps {
  question: AnalyticsQuestion;
  onEnvironment: (envId: string) => void;
}

/** Two settings against each other: in each cell the interquartile mean of the runs that have both values. */
export function PivotTable({ question, onEnvironment }: PivotTableProps) {
  const valueName = useValueName();
  const asked = useQuery({ ...runGroupsQuery(question), placeholderData: keepPreviousData });
  return (
    <Answer
      asked={asked}
      nothing={({ groups, scale }) =>
        groups.length === 0 ? (
          NO_RUNS
        ) : groups.every(({ iqm }) => iqm === null) ? (
          <NoValues {...{ scale, onEnvironment }} />
        ) : null
      }
    >
      {({ groups, by, measure, left_out: leftOut, scale }) => {
        // Cells of different environments have no place between one lowest and one highest.
        const isOneScale = scale.is_normalised || scale.environments.length < 2;
        const { rows, columns, cells } = pivot(groups);
        const extent = extentOf(groups.flatMap(({ iqm }) => iqm ?? []));
        return (
          <Card title={`${columnName(measure).label}${scaleName(scale)}: interquartile mean`}>
            <ScaleNote {...{ scale, onEnvironment }} />
            <div role="region" aria-label="Pivot" tabIndex={0} className="overflow-x-auto">
              <table className="w-full text-sm tabular-nums">
                <thead className="text-left text-xs text-ink-soft">
                  <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
                    <th scope="col">{by.map((name) => columnName(name).label).join(" × ")}</th>
                    {columns.map((column) => (
                      <th key={column} scope="col" className="whitespace-nowrap">
                        {valueName(by[1], column)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row} className="border-b border-line last:border-0">
                      <th scope="row" className="py-2 pr-4 text-left font-medium">
                        {valueName(by[0], row)}
                      </th>
                      {columns.map((column) => (
                        <Cell
                          key={column}
                          group={cells.get(row)?.get(column)}
                          share={isOneScale ? (value) => placeIn(value, extent) : null}
                        />
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <p className="mt-3 text-xs text-ink-faint">
              In brackets the 95 % bootstrap interval.
              {isOneScale &&
                " The bar shows where the cell lies between the lowest and the highest."}
              {leftOut > 0 && ` ${plural(leftOut, "cell")} with fewer runs left out.`}
            </p>
          </Card>
        );
      }}
    </Answer>
  );
}

interface CellProps {
  group: RunsInGroup | undefined;
  /** Position of a value between the lowest and the highest, in percent; null: they are not on one scale. */
  share: ((value: number) => number) | null;
}

function Cell({ group, share }: CellProps) {
  if (!group || group.iqm === null) return <td className="py-2 pr-4 text-ink-faint">{NONE}</td>;
  const { iqm, low, high } = group;
  return (
    <td className="min-w-32 py-2 pr-4 align-top">
      <span className="font-medium">{decimal(iqm)}</span>{" "}
      {low !== null && high !== null && (
        <SeedInterval count={group.count} one="run" className="text-xs whitespace-nowrap">
          {interval(low, high)}
        </SeedInterval>
      )}
      <span className="block text-2xs text-ink-faint">{plural(group.count, "run")}</span>
      {share && (
        <span aria-hidden className="mt-1 block h-1 rounded-full bg-sunken">
          <span
            className="block h-1 min-w-1 rounded-full bg-accent"
            style={{ width: `${share(iqm)}%` }}
          />
        </span>
      )}
    </td>
  );
}

/** Rows and columns in the order of the best cell of each. */
export function pivot(groups: readonly RunsInGroup[]) {
  const cells = new Map<string, Map<string, RunsInGroup>>();
  const columns = new Set<string>();
  for (const group of groups) {
    const [first = null, ...rest] = group.key;
    const row = titleOf([first]);
    const column = rest.length > 0 ? titleOf(rest) : "All";
    columns.add(column);
    cells.set(row, (cells.get(row) ?? new Map<string, RunsInGroup>()).set(column, group));
  }
  return { rows: [...cells.keys()], columns: [...columns], cells };
}
