"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { addSink, deliverToSink, offeredSinksQuery, removeSink, runSinksQuery } from "@/api/sinks";
import type { OfferedSink, RunDetail, RunSink, SinkKind } from "@/api/types";
import { InstallCommand } from "@/forms/sink-choice";
import { clockTime } from "@/lib/format-time";
import { bytes, count, plural } from "@/lib/number";
import { useServiceAway } from "@/lib/service";
import { useNow } from "@/lib/time";
import { Badge, type BadgeTone } from "@/ui/badge";
import { Button } from "@/ui/button";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Switch } from "@/ui/switch";

/** The sinks that a run was, or can be, delivered to, and how much each has received. */
export function SinksPanel({ run }: { run: RunDetail }) {
  const offered = useQuery(offeredSinksQuery);
  const sinks = useQuery(runSinksQuery(run.id));
  const failed = [offered, sinks].find(({ error, data }) => error && !data);
  if (failed?.error) {
    const { error, refetch, isFetching } = failed;
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  if (!offered.data || !sinks.data) return <Skeleton className="m-4 h-40" />;
  const { data } = sinks;
  return (
    <ul className="divide-y divide-line">
      {offered.data.map((offer) => (
        <SinkRow
          key={offer.kind}
          run={run}
          offer={offer}
          sink={data.sinks.find(({ kind }) => kind === offer.kind)}
        />
      ))}
    </ul>
  );
}

interface SinkRowProps {
  run: RunDetail;
  offer: OfferedSink;
  /** Undefined if the run was never delivered there. */
  sink: RunSink | undefined;
}

/** One sink: how much of the run it has, what delays the rest, and its actions. */
function SinkRow({ run, offer, sink }: SinkRowProps) {
  const client = useQueryClient();
  const away = useServiceAway() !== null;
  const { label, kind, install, note } = offer;
  const { state, facts, failure, action } = sinkText(offer, sink, useNow("second"));
  const change = useMutation({
    mutationFn: (ask: typeof addSink) => ask(run.id, kind),
    onSuccess: (now) => client.setQueryData(keys.runSinks(run.id), now),
    // The process that delivers begins a moment after the answer.
    onSettled: () => void client.invalidateQueries({ queryKey: keys.runSinks(run.id) }),
  });
  const live = sink?.live ?? false;
  return (
    <li aria-label={label} className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span className="text-sm font-medium">{label}</span>
        <span role="status" className="flex grow">
          {state && <Badge tone={state.tone}>{state.text}</Badge>}
        </span>
        {(install === null || live) && (
          <Switch
            label="Keep up to date"
            checked={live}
            disabled={away || change.isPending}
            onChange={(checked) => change.mutate(checked ? addSink : removeSink)}
          />
        )}
        {action && (
          <Button
            size="sm"
            needsService
            busy={change.isPending}
            icon={<Upload aria-hidden className="size-3.5" />}
            aria-label={`${action}: ${label}`}
            onClick={() => change.mutate(deliverToSink)}
          >
            {action}
          </Button>
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 text-xs text-ink-soft tabular-nums">
        {facts.map((fact) => (
          <Fact key={fact} text={fact} />
        ))}
      </p>
      {install !== null && <InstallCommand label={label} command={install} />}
      {install === null && note !== null && (!sink || sink.offline) && (
        <p className="text-xs text-ink-soft">{note}</p>
      )}
      {failure && (
        <Notice tone="bad" title={failure.problem}>
          <p className="text-xs break-words">{failure.todo}</p>
        </Notice>
      )}
      {change.error && (
        <p role="alert" className="text-xs text-bad">
          {explainAction(change.error)}
        </p>
      )}
    </li>
  );
}

function Fact({ text }: { text: string }) {
  if (!/^https?:\/\//.test(text)) return <span className="min-w-0 break-words">{text}</span>;
  return (
    <a
      href={text}
      target="_blank"
      rel="noreferrer"
      className="min-w-0 rounded-sm break-all text-accent hover:underline"
    >
      {text}
    </a>
  );
}

/** The texts of a sink. `action`: label of the button that delivers at once; null: there is none. */
export interface SinkText {
  state: { text: string; tone: BadgeTone } | null;
  facts: string[];
  failure: { problem: string; todo: string } | null;
  action: string | null;
}

/** `now`: milliseconds. `sink` is undefined if the run was never delivered to it. */
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
  return { text: "Behind", tone: "warn" };
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

/** Names of metrics in the sink, if they differ. */
function renamedFact(names: readonly [string, string][]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMES).map(([name, there]) => `${name} is ${there}`);
  const more = names.length > MOST_NAMES ? `, and ${count(names.length - MOST_NAMES)} more` : "";
  return [`Other names there: ${shown.join(", ")}${more}`];
}

const TODO: Record<SinkKind, string> = {
  wandb: "Check that Weights & Biases can be reached and that you are logged in (“wandb login”)",
  mlflow: "Check that the MLflow server answers at MLFLOW_TRACKING_URI",
  trackio: "Check that Trackio's folder can be written and that its disk is not full",
  tensorboard: "Check that the run's folder can be written and that its disk is not full",
};

function failureOf({ kind, install }: OfferedSink, { problem, next_try_at }: RunSink) {
  const next =
    next_try_at === null
      ? ""
      : ` It is tried again at ${clockTime(new Date(next_try_at * 1_000).toISOString())}.`;
  const todo = install === null ? ` ${TODO[kind]}, then retry.` : "";
  return {
    problem: problem ?? "",
    todo: `Nothing is lost: the missing data waits in the run's folder.${next}${todo}`,
  };
}

function actionOf({ state, live, offline }: RunSink): string | null {
  if (state === "failing") return "Retry";
  if (state === "delivered") return offline ? "Send" : null;
  return live ? "Deliver now" : "Deliver new rows";
}
