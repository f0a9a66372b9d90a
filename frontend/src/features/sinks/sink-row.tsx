"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { addSink, deliverToSink, removeSink } from "@/api/sinks";
import type { OfferedSink, RunDetail, RunSink } from "@/api/types";
import { InstallCommand } from "@/forms/sink-choice";
import { useServiceAway } from "@/lib/service";
import { useNow } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import { Switch } from "@/ui/switch";
import { sinkText } from "./sink-text";

interface SinkRowProps {
  run: RunDetail;
  offer: OfferedSink;
  /** Undefined if the run was never delivered there. */
  sink: RunSink | undefined;
}

/** One sink: how far it has the run, what keeps it from having the rest, and what can be done. */
export function SinkRow({ run, offer, sink }: SinkRowProps) {
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
