import type { OfferedSink, RunSink, SinkKind } from "@/api/types";
import { clockTime } from "@/lib/format-time";
import { bytes, count, plural } from "@/lib/number";
import type { BadgeTone } from "@/ui/badge";

/** What is shown of a sink of a run. `action`: what the button that delivers at once says; null: there is none. */
export interface SinkText {
  state: { text: string; tone: BadgeTone } | null;
  facts: string[];
  failure: { problem: string; todo: string } | null;
  action: string | null;
}

/** `now`: milliseconds. `sink` is undefined for one that the run was never delivered to. */
export function sinkText(offer: OfferedSink, sink: RunSink | undefined, now: number): SinkText {
  if (!sink) {
    const action = offer.install === null ? "Export now" : null;
    return { state: null, facts: [`Would go to ${offer.place}.`], failure: null, action };
  }
  const due = sink.next_try_at !== null && sink.next_try_at * 1_000 <= now;
  const underWay = sink.under_way || due;
  return {
    state: stateOf(sink, underWay),
    facts: factsOf(sink),
    failure: sink.problem === null || underWay ? null : failureOf(offer, sink),
    action: offer.install === null && !underWay ? actionOf(sink) : null,
  };
}

function stateOf(sink: RunSink, underWay: boolean): SinkText["state"] {
  const { state, offline, live } = sink;
  if (state === "delivered") {
    return offline
      ? { text: "In an offline folder", tone: "warn" }
      : { text: "Delivered", tone: "good" };
  }
  if (underWay) {
    return { text: live && state === "delivering" ? "Keeping up" : "Delivering…", tone: "live" };
  }
  if (state === "failing") return { text: "Not delivered", tone: "bad" };
  if (state === "waiting") return { text: "Waiting", tone: "rest" };
  return { text: "Lacks what came since", tone: "warn" };
}

function factsOf({ rows, step, waiting_bytes, place, renamed }: RunSink): string[] {
  const there = step === null ? "" : `, up to step ${count(step)}`;
  return [
    rows > 0 ? `${plural(rows, "row")}${there}` : "Nothing there yet",
    ...(waiting_bytes > 0 ? [`${bytes(waiting_bytes)} wait`] : []),
    ...(place === null ? [] : [place]),
    ...renamedFact(Object.entries(renamed)),
  ];
}

const MOST_NAMES = 3;

/** What metrics are called there, where that is not their name. */
function renamedFact(names: readonly [string, string][]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMES).map(([name, there]) => `${name} is ${there}`);
  const more = names.length > MOST_NAMES ? `, and ${count(names.length - MOST_NAMES)} more` : "";
  return [`Other names there: ${shown.join(", ")}${more}`];
}

const TODO: Record<SinkKind, string> = {
  wandb: "See that Weights & Biases can be reached, and that “wandb login” was done",
  mlflow: "See that the server of MLflow answers at MLFLOW_TRACKING_URI",
  trackio: "See that Trackio's folder can be written, and that its disk is not full",
  tensorboard: "See that the run's folder can be written, and that its disk is not full",
};

function failureOf({ kind, install }: OfferedSink, { problem, next_try_at }: RunSink) {
  const next =
    next_try_at === null
      ? ""
      : ` It is tried again at ${clockTime(new Date(next_try_at * 1_000).toISOString())}.`;
  const todo = install === null ? ` ${TODO[kind]}, then retry.` : "";
  return {
    problem: problem ?? "",
    todo: `Nothing is lost: what is missing waits in the run's folder.${next}${todo}`,
  };
}

function actionOf({ state, live, offline }: RunSink): string | null {
  if (state === "failing") return "Retry";
  if (state === "delivered") return offline ? "Send" : null;
  return live ? "Deliver now" : "Deliver the rest";
}
