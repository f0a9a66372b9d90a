"use client";

import clsx from "clsx";
import { ChevronRight, X } from "lucide-react";
import { useState } from "react";
import { useAlgorithmName, useLimits } from "@/api/choices";
import { isActive } from "@/api/runs";
import type { Run } from "@/api/types";
import type { ChartGroup } from "@/charts/chart-group";
import { SeedInterval } from "@/charts/seed-interval";
import { brief, count, decimal, NONE, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useStoreValue } from "@/lib/use-store";
import { Badge, StatusBadge } from "@/ui/badge";
import { HoverLink } from "@/ui/hover-link";
import { controlClass } from "@/ui/select";
import { Swatch } from "@/ui/swatch";
import { type LegendRow, type Sort, sortedRows } from "./legend";
import type { SeriesStyles } from "./series-styles";

interface LegendTableProps {
  rows: readonly LegendRow[];
  seriesStyles: SeriesStyles;
  /** Of the charts, which emphasise the line of the row under the pointer. */
  group: ChartGroup;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
  onRemove: (runIds: readonly string[]) => void;
}

/** From this number of rows on they can be searched. */
const MANY = 12;

const HEADINGS: readonly { sort: Sort; label: string; className: string }[] = [
  { sort: "value", label: "Return", className: "text-right whitespace-nowrap" },
  { sort: "step", label: "Steps", className: "text-right whitespace-nowrap max-sm:hidden" },
  {
    sort: "solved",
    label: "Time to solved",
    className: "text-right whitespace-nowrap max-md:hidden",
  },
];

/**
 * The legend of all charts: each compared run or group with its line, its result, and buttons to hide and to remove it.
 */
export function LegendTable(props: LegendTableProps) {
  const { rows, ...shared } = props;
  const [sort, setSort] = useState<Sort | null>(null);
  const [text, setText] = useState("");
  if (rows.length === 0) return null;
  const wanted = text.trim().toLowerCase();
  const shown = sortedRows(rows, sort).filter(({ name }) => name.toLowerCase().includes(wanted));
  const toggleSort = (by: Sort) => setSort(sort === by ? null : by);
  return (
    <section
      aria-label="Runs"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      {rows.length > MANY && (
        <div className="flex items-center gap-3 border-b border-line px-3 py-1.5">
          <input
            type="search"
            aria-label={`Search the ${rows.length} compared lines`}
            placeholder={`Search ${rows.length} lines`}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className={clsx(controlClass, "h-7! w-52! text-xs!")}
          />
          <span className="text-xs text-ink-faint">Point at a row to see its line</span>
        </div>
      )}
      <div
        role="group"
        tabIndex={0}
        aria-label="Compared runs, scrollable"
        className="max-h-80 overflow-auto -outline-offset-2!"
      >
        <table aria-label="Compared runs" className="w-full border-collapse text-sm tabular-nums">
          <thead className="sticky top-0 z-10 bg-surface text-left text-xs text-ink-faint">
            <tr className="[&>th]:border-b [&>th]:border-line [&>th]:px-2 [&>th]:py-1.5 [&>th]:font-medium">
              <Heading by="name" label="Run" {...{ sort }} onSort={toggleSort} className="pl-3!" />
              {HEADINGS.map(({ sort: by, label, className }) => (
                <Heading key={by} {...{ by, label, sort, className }} onSort={toggleSort} />
              ))}
              <th scope="col" className="max-md:hidden">
                Verdict
              </th>
              <th scope="col">
                <span className="sr-only">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={row.id} row={row} {...shared} />
            ))}
            {shown.length === 0 && (
              <tr>
                <td colSpan={6} className="px-3 py-2 text-ink-faint">
                  No line matches
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface HeadingProps {
  by: Sort;
  label: string;
  sort: Sort | null;
  onSort: (by: Sort) => void;
  className: string;
}

function Heading({ by, label, sort, onSort, className }: HeadingProps) {
  const isSorted = sort === by;
  // Times and names rise, returns and steps fall: the best first.
  const direction = by === "name" || by === "solved" ? "ascending" : "descending";
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined} className={className}>
      <button
        type="button"
        onClick={() => onSort(by)}
        className={clsx("rounded-sm hover:text-ink", isSorted && "text-ink")}
      >
        {label}
        <span aria-hidden>{isSorted ? (direction === "ascending" ? " ↑" : " ↓") : ""}</span>
      </button>
    </th>
  );
}

type RowProps = Omit<LegendTableProps, "rows"> & { row: LegendRow };

function Row({ row, seriesStyles, group, hidden, onToggle, onRemove }: RowProps) {
  const [open, setOpen] = useState(false);
  const emphasized = useStoreValue(group.emphasized, (id) => id === row.id);
  const { id, name, runs, isGroup } = row;
  const isOff = hidden.has(id);
  const run = runs[0]!;
  return (
    <>
      <tr
        onPointerEnter={() => group.emphasized.set(id)}
        onPointerLeave={() => group.emphasized.set(null)}
        className={clsx(
          "border-b border-line last:border-0 [&>td]:px-2 [&>td]:py-1",
          emphasized && "bg-rest-tint",
        )}
      >
        <th scope="row" className="w-full max-w-0 min-w-40 py-1 pr-2 pl-3 text-left font-normal">
          <span className="flex min-w-0 items-center gap-2">
            <button
              type="button"
              aria-pressed={!isOff}
              aria-label={`Show ${name}`}
              title={isOff ? "Show its line" : "Hide its line"}
              onClick={() => onToggle(id)}
              onFocus={() => group.emphasized.set(id)}
              onBlur={() => group.emphasized.set(null)}
              className={clsx(
                "grid h-7 shrink-0 place-items-center rounded-sm px-1 hover:bg-sunken max-md:h-9",
                isOff && "opacity-40",
              )}
            >
              <Swatch seriesStyle={seriesStyles.get(row.styledBy)} />
            </button>
            {isGroup ? (
              <button
                type="button"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
                className="flex min-w-0 items-center gap-1 rounded-sm font-medium hover:text-accent"
              >
                <ChevronRight
                  aria-hidden
                  className={clsx("size-3.5 shrink-0 text-ink-faint", open && "rotate-90")}
                />
                <span title={name} className={clsx("truncate", isOff && "line-through")}>
                  {name}
                </span>
                <span className="shrink-0 text-xs font-normal text-ink-faint">
                  {plural(runs.length, "seed")}
                </span>
              </button>
            ) : (
              <RunLink run={run} isOff={isOff} name={name} />
            )}
            <Facts runs={runs} />
          </span>
        </th>
        <td className="text-right whitespace-nowrap">
          {decimal(row.value)}{" "}
          <SeedInterval count={row.seeds} className="text-xs max-sm:hidden">
            {row.interval}
          </SeedInterval>
        </td>
        <td className="text-right whitespace-nowrap max-sm:hidden" title={count(row.step)}>
          {brief(row.step)}
        </td>
        <td className="text-right whitespace-nowrap max-md:hidden">{row.solvedText}</td>
        <td className="max-w-96 min-w-64 max-md:hidden xl:min-w-96">
          <RowVerdict row={row} />
        </td>
        <td className="w-8">
          <RemoveButton name={name} onRemove={() => onRemove(runs.map((one) => one.id))} />
        </td>
      </tr>
      {open &&
        runs.map((seed, i) => (
          <tr
            key={seed.id}
            className="border-b border-line text-ink-soft [&>td]:px-2 [&>td]:py-0.5"
          >
            <td className="max-w-0 pl-14!">
              <span className="flex min-w-0 items-center gap-2">
                <RunLink run={seed} isOff={false} name={`Seed ${seed.seed}`} />
                <Facts runs={[seed]} />
              </span>
            </td>
            <td className="text-right">{decimal(row.values[i])}</td>
            <td className="text-right max-sm:hidden">{brief(seed.step)}</td>
            <td className="max-md:hidden" />
            <td className="max-md:hidden" />
            <td>
              <RemoveButton name={`seed ${seed.seed}`} onRemove={() => onRemove([seed.id])} />
            </td>
          </tr>
        ))}
    </>
  );
}

function RunLink({ run, name, isOff }: { run: Run; name: string; isOff: boolean }) {
  return (
    <HoverLink
      href={routes.run(run.id)}
      title={name}
      className={clsx(
        "min-w-0 truncate rounded-sm font-medium hover:text-accent max-sm:line-clamp-2 max-sm:whitespace-normal",
        isOff && "line-through",
      )}
    >
      {name}
    </HoverLink>
  );
}

/** The algorithm and environment of each, and the status of runs that have not completed. */
function Facts({ runs }: { runs: readonly Run[] }) {
  const algorithmName = useAlgorithmName();
  const { algo, env_id, status } = runs[0]!;
  const training = runs.filter(isActive).length;
  return (
    <>
      <span className="shrink-0 text-xs text-ink-faint max-lg:hidden">
        {algorithmName(algo)} · {env_id}
      </span>
      {runs.length > 1
        ? training > 0 && (
            <Badge tone="live">
              {training} of {runs.length} not ended
            </Badge>
          )
        : status !== "completed" && (
            // On a phone the name needs its place.
            <span className="shrink-0 max-sm:hidden">
              <StatusBadge status={status} />
            </span>
          )}
    </>
  );
}

/** Only what the service has judged: a run that is clearly best in a figure, and whether seeds are enough to judge. */
function RowVerdict({ row: { bestIn, isGroup, runs } }: { row: LegendRow }) {
  const enough = useLimits()?.verdict_seeds.minimum ?? 0;
  if (isGroup) {
    return (
      <span className="text-xs text-ink-soft">
        {runs.length < enough
          ? `too few seeds (${runs.length} of ${enough})`
          : `${runs.length} seeds: see above`}
      </span>
    );
  }
  if (bestIn.length === 0) return <span className="text-xs text-ink-faint">{NONE}</span>;
  const text = bestIn.map((title) => title.toLowerCase()).join(", ");
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-xs" title={`Best: ${text}`}>
      <Badge tone="good">best</Badge>
      <span className="truncate text-ink-soft">{text}</span>
    </span>
  );
}

function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove ${name}`}
      onClick={onRemove}
      className="grid size-7 shrink-0 place-items-center rounded-md text-ink-faint hover:bg-rest-tint hover:text-ink max-md:size-9"
    >
      <X aria-hidden className="size-3.5" />
    </button>
  );
}
