"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, Play } from "lucide-react";
import { useRef, useState } from "react";
import { sqlQuery } from "@/api/analytics";
import { ApiError } from "@/api/http";
import type { AnalyticsSchema, QueryAnswer } from "@/api/types";
import { download } from "@/lib/download";
import { duration } from "@/lib/format-time";
import { count, NONE, plural, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { controlClass } from "@/ui/select";
import { answerCsv, valueText } from "./answer";

const EXAMPLE = `SELECT algo, env_id, count(*) AS runs, median(best_moving_average) AS score
FROM runs
WHERE status = 'completed'
GROUP BY ALL ORDER BY score DESC`;

interface SqlPanelProps {
  /** The statement in the address, which the result belongs to; empty: nothing was run yet. */
  sql: string;
  schema: AnalyticsSchema;
  onRun: (sql: string) => void;
}

/** An editor for a SELECT statement, with its result. */
export function SqlPanel({ sql, schema, onRun }: SqlPanelProps) {
  const [typed, setTyped] = useState(sql || EXAMPLE);
  const box = useRef<HTMLTextAreaElement>(null);
  const { data, error, isFetching, refetch } = useQuery(sqlQuery(sql));
  const position = error instanceof ApiError ? error.fields[0]?.position : undefined;
  const run = () => (typed === sql ? void refetch() : onRun(typed));
  const show = () => {
    box.current?.focus();
    if (position !== undefined) box.current?.setSelectionRange(position, position + 1);
  };
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          <textarea
            ref={box}
            aria-label="SQL"
            aria-invalid={error ? true : undefined}
            spellCheck={false}
            rows={7}
            className={`${controlClass} h-auto! py-2 font-mono`}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              run();
            }}
          />
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              variant="primary"
              needsService
              busy={isFetching}
              icon={<Play aria-hidden className="size-3.5" />}
            >
              Run
            </Button>
            <span className="text-xs text-ink-faint">
              Ctrl + Enter. A query can only read, and is stopped after ten seconds.
            </span>
          </div>
        </form>
        {error && !isFetching ? (
          <Notice
            tone="bad"
            role="alert"
            title={error instanceof ApiError ? error.title : "Something went wrong"}
          >
            <p className="break-words">{error.message}</p>
            {position !== undefined && (
              <Button size="sm" className="mt-2" onClick={show}>
                Show the error
              </Button>
            )}
          </Notice>
        ) : sql === "" ? (
          <p className="text-sm text-ink-soft">Run the example, or write a question of your own.</p>
        ) : !data ? (
          <Skeleton className="h-64" />
        ) : (
          <Result answer={data} />
        )}
      </div>
      <SchemaHelp tables={schema.tables} />
    </div>
  );
}

function Result({ answer }: { answer: QueryAnswer }) {
  const { rows, truncated, seconds, notes } = answer;
  const shown = plural(rows.length, "row");
  return (
    <Card
      title={truncated ? `The first ${shown}` : shown}
      aside={
        <span className="flex items-center gap-3">
          <span className="text-xs text-ink-faint">
            {seconds < 1 ? `${count(Math.ceil(seconds * 1_000))} ms` : duration(seconds * 1_000)}
          </span>
          <Button
            size="sm"
            icon={<Download aria-hidden className="size-3.5" />}
            onClick={() =>
              download("query.csv", new Blob([answerCsv(answer)], { type: "text/csv" }))
            }
          >
            CSV
          </Button>
        </span>
      }
      bodyClass="p-0"
    >
      {[
        ...notes,
        ...(truncated ? ["There are more rows. Narrow the query with WHERE or LIMIT."] : []),
      ].map((note) => (
        <p key={note} className="border-b border-line px-4 py-2 text-xs text-ink-soft">
          {note}
        </p>
      ))}
      <ResultTable answer={answer} />
    </Card>
  );
}

/** The columns that a SELECT can name, by table. */
function SchemaHelp({ tables }: { tables: AnalyticsSchema["tables"] }) {
  return (
    <Card title="Tables" className="self-start">
      {tables.map(({ name, columns }) => (
        <Disclosure key={name} summary={<code className="font-mono">{name}</code>}>
          <div
            className="mb-2 max-h-80 overflow-y-auto pl-5 text-xs"
            tabIndex={0}
            role="region"
            aria-label={`Columns of ${name}`}
          >
            <dl className="flex flex-col gap-1.5">
              {columns.map((column) => (
                <div key={column.name}>
                  <dt className="flex flex-wrap items-baseline gap-x-2">
                    <code className="font-mono break-all">{column.name}</code>
                    <span className="text-2xs text-ink-faint">{column.type}</span>
                  </dt>
                  <dd className="text-ink-soft">{column.description}</dd>
                </div>
              ))}
            </dl>
          </div>
        </Disclosure>
      ))}
    </Card>
  );
}

/** Rows that are shown; the CSV has all of them. */
const MOST_SHOWN = 200;

/** The rows of an answer. Ids of runs lead to their pages. */
function ResultTable({ answer: { columns, types, rows } }: { answer: QueryAnswer }) {
  const ids = columns.map((name) => name === "run_id" || name === "id");
  if (rows.length === 0) return <p className="p-4 text-sm text-ink-soft">No row matches.</p>;
  return (
    <>
      <div role="region" aria-label="Rows" tabIndex={0} className="max-h-120 overflow-auto">
        <table className="w-full text-sm tabular-nums">
          <thead className="sticky top-0 bg-surface text-left text-xs text-ink-soft">
            <tr className="[&>th]:border-b [&>th]:border-line [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
              {columns.map((name, i) => (
                <th key={i} scope="col" title={types[i]} className="whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_SHOWN).map((row, number) => (
              <tr key={number} className="border-b border-line last:border-0">
                {row.map((value, i) => (
                  <td key={i} className="max-w-80 truncate px-4 py-1.5 whitespace-nowrap">
                    {ids[i] && typeof value === "string" ? (
                      <HoverLink href={routes.run(value)} className="text-accent hover:underline">
                        {value}
                      </HoverLink>
                    ) : value === null ? (
                      <span className="text-ink-faint">{NONE}</span>
                    ) : typeof value === "number" ? (
                      settingText(value)
                    ) : (
                      valueText(value)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MOST_SHOWN && (
        <p className="border-t border-line px-4 py-2 text-xs text-ink-faint">
          {plural(rows.length - MOST_SHOWN, "more row")} in the CSV.
        </p>
      )}
    </>
  );
}
