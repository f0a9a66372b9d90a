import type { Evaluation, RunEvent } from "@/lib/api";
import { brief, decimal, plural } from "@/lib/format";

/** A line of the event log: an event of the journal, or an evaluation that a user requested. */
export interface LogEntry {
  key: string;
  /** Unix time in seconds. */
  time: number;
  step: number | null;
  kind: string;
  level: RunEvent["level"];
  message: string;
  traceback: string | null;
}

/** All events of a run, newest first. */
export function logEntries(
  events: readonly RunEvent[],
  evaluations: readonly Evaluation[],
): LogEntry[] {
  const all = [...events.map(ofEvent), ...evaluations.map(ofEvaluation)];
  return all.sort((a, b) => b.time - a.time);
}

function ofEvent({ seq, time, step, kind, level, message, details }: RunEvent): LogEntry {
  const traceback = "traceback" in details ? details.traceback : null;
  return {
    ...{ key: `event ${seq}`, time, step, kind, level, message },
    traceback: typeof traceback === "string" && traceback !== "" ? traceback : null,
  };
}

function ofEvaluation(evaluation: Evaluation): LogEntry {
  const { id, ended_at, created_at, checkpoint_step, status } = evaluation;
  return {
    key: `evaluation ${id}`,
    time: Date.parse(ended_at ?? created_at) / 1000,
    step: checkpoint_step,
    kind: "evaluation",
    level: status === "failed" ? "error" : "info",
    message: describe(evaluation),
    traceback: null,
  };
}

function describe({ status, cause, summary, policy, checkpoint_step, episodes }: Evaluation) {
  const which = policy === "best" ? "The best policy" : "The policy";
  const of = checkpoint_step === null ? which : `${which} of step ${brief(checkpoint_step)}`;
  const played = plural(episodes, "episode");
  if (status === "failed")
    return `An evaluation over ${played} failed: ${cause ?? "no cause given"}`;
  if (summary === null) return `${of} is being evaluated over ${played}.`;
  if (summary.episode_return === null)
    return `A video of step ${brief(checkpoint_step)} was handed over.`;
  const { mean, std } = summary.episode_return;
  return `${of} was evaluated over ${played}: mean return ${decimal(mean)} ± ${decimal(std)}.`;
}
