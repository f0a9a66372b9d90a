"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleAlert, Dot, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { runEventsQuery } from "@/api/run-record";
import type { RunDetail, RunEvent } from "@/api/types";
import { clockTime, moment } from "@/lib/format-time";
import { count, plural } from "@/lib/number";
import { CopyButton } from "@/ui/copy-button";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";

const appearances = {
  info: { Icon: Dot, ink: "text-ink-faint", word: "Info" },
  warning: { Icon: TriangleAlert, ink: "text-warn", word: "Warning" },
  error: { Icon: CircleAlert, ink: "text-bad", word: "Error" },
};

type Shown = "all" | "problems";

/** The run's events, newest first. */
export function EventLog({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery(runEventsQuery(run.id, run.last_event));
  const [shown, setShown] = useState<Shown>("all");
  if (!data) {
    if (!error) return <Skeleton className="m-4 h-40" />;
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  const events = logEntries(data.events).filter(({ level }) => shown === "all" || level !== "info");
  return (
    <div className="p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2 text-xs text-ink-faint">
        <Segmented<Shown>
          legend="Events to show"
          value={shown}
          onChange={setShown}
          options={[
            { value: "all", label: "All" },
            { value: "problems", label: "Warnings and errors" },
          ]}
        />
        {data.broken_lines > 0 && `${plural(data.broken_lines, "line")} could not be read`}
      </div>
      {events.length === 0 ? (
        <p className="py-6 text-center text-sm text-ink-soft">
          {shown === "all" ? "Nothing has happened yet" : "No warnings, no errors"}
        </p>
      ) : (
        <ol
          aria-label="Events"
          tabIndex={0}
          className="max-h-96 divide-y divide-line overflow-y-auto"
        >
          {events.map((event) => (
            <EventRow key={event.key} event={event} />
          ))}
        </ol>
      )}
    </div>
  );
}

function EventRow({ event }: { event: LogEntry }) {
  const { Icon, ink, word } = appearances[event.level];
  const at = new Date(event.time * 1000).toISOString();
  const { traceback } = event;
  return (
    <li className="py-1.5 text-xs">
      <div className="flex flex-wrap items-baseline gap-x-2.5">
        <Icon aria-label={word} className={clsx("size-4 shrink-0 self-center", ink)} />
        <time dateTime={at} title={moment(at)} className="shrink-0 text-ink-faint tabular-nums">
          {clockTime(at)}
        </time>
        <span className="w-20 shrink-0 truncate font-medium">{event.kind}</span>
        <span className="min-w-0 grow break-words text-ink-soft max-sm:order-last max-sm:basis-full max-sm:pl-6.5 sm:basis-0">
          {event.message}
        </span>
        {event.step !== null && (
          <span className="shrink-0 text-ink-faint tabular-nums max-sm:ml-auto">
            step {count(event.step)}
          </span>
        )}
      </div>
      {traceback && (
        <div className="relative mt-1.5 ml-6.5">
          <pre
            tabIndex={0}
            aria-label="Traceback"
            className="max-h-72 overflow-auto rounded-md border border-line bg-sunken p-3 pr-20 font-mono"
          >
            {traceback}
          </pre>
          <div className="absolute top-1 right-1">
            <CopyButton text={traceback} label="Copy traceback" />
          </div>
        </div>
      )}
    </li>
  );
}

/** A line of the event log. */
interface LogEntry extends Pick<RunEvent, "time" | "step" | "kind" | "level" | "message"> {
  key: string;
  traceback: string | null;
}

/** All events of a run, newest first. */
export function logEntries(events: readonly RunEvent[]): LogEntry[] {
  return events.map(entryOf).reverse();
}

function entryOf({ seq, time, step, kind, level, message, details }: RunEvent): LogEntry {
  const traceback = "traceback" in details ? details.traceback : null;
  const key = "evaluation_id" in details ? details.evaluation_id : String(seq);
  return {
    ...{ key, time, step, kind, level, message },
    traceback: typeof traceback === "string" && traceback !== "" ? traceback : null,
  };
}
