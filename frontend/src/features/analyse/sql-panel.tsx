"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, Play } from "lucide-react";
import { useRef, useState } from "react";
import { sqlQuery } from "@/api/analytics";
import { ApiError } from "@/api/http";
import type { AnalyticsSchema, QueryAnswer } from "@/api/types";
import { download } from "@/lib/download";
import { duration } from "@/lib/format-time";
import { count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { controlClass } from "@/ui/select";
import { answerCsv } from "./csv";
import { ResultTable } from "./result-table";
import { SchemaHelp } from "./schema-help";

const EXAMPLE = `SELECT algo, env_id, count(*) AS runs, median(best_moving_average) AS score
FROM runs
WHERE status = 'completed'
GROUP BY ALL ORDER BY score DESC`;

interface SqlPanelProps {
  /** What the address holds, and the answer is of; empty: nothing was asked yet. */
  sql: string;
  schema: AnalyticsSchema;
  onRun: (sql: string) => void;
}

/** A SELECT of one's own, with its answer. */
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
              Ctrl + Enter. It can only read, and is stopped after ten seconds.
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
                Show the place
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
        ...(truncated ? ["There are more rows. Ask for less, with WHERE or LIMIT."] : []),
      ].map((note) => (
        <p key={note} className="border-b border-line px-4 py-2 text-xs text-ink-soft">
          {note}
        </p>
      ))}
      <ResultTable answer={answer} />
    </Card>
  );
}
