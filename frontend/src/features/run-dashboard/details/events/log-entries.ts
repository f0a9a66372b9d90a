import type { RunEvent } from "@/api/types";

/** A line of the event log. */
export interface LogEntry extends Pick<RunEvent, "time" | "step" | "kind" | "level" | "message"> {
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
