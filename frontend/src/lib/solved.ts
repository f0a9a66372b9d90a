import { duration } from "./format-time";
import { brief, count } from "./number";

/** When a run was solved: `seconds` of training, null where they are not known. */
interface SolvedAt {
  step: number;
  seconds: number | null;
}

/** For a run that is not solved. After training to its end, only an evaluation can still change that. */
export function unsolvedWords({ status }: { status: string }): string {
  return status === "completed" ? "no" : "not yet";
}

/** `at step 12,345, after 14s`. */
export function solvedWords({ step, seconds }: SolvedAt): string {
  return `at step ${count(step)}${seconds === null ? "" : `, after ${duration(seconds * 1000)}`}`;
}

/** The same for narrow places: `12.3k · 14s`. */
export function solvedAt({ step, seconds }: SolvedAt): string {
  return seconds === null ? brief(step) : `${brief(step)} · ${duration(seconds * 1000)}`;
}
