"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { algorithmsQuery } from "@/api/choices";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { useMetricRegistry } from "@/api/metric-registry";
import { knobsQuery, rulesQuery, saveRules, tryRules } from "@/api/rules";
import type { Rule, RunDetail } from "@/api/types";
import { draftOf, metricsFor, type RuleDraft, type Vocabulary, written } from "@/forms/rules/draft";
import { DryRunFirings, RuleList } from "@/forms/rules/rule-list";
import { createStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { Button } from "@/ui/button";
import { MEND_FIRST } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";

/** The rules of a run: read, edit and try them. */
export function RulesPanel({ run }: { run: RunDetail }) {
  const registry = useMetricRegistry();
  const rules = useQuery(rulesQuery(run.id));
  const knobs = useQuery(knobsQuery(run.id));
  const algorithms = useQuery(algorithmsQuery);
  const failed = [rules, knobs, algorithms].find(({ error }) => error);
  if (failed?.error) {
    const { error, refetch, isFetching } = failed;
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  if (!rules.data || !knobs.data || !algorithms.data) return <Skeleton className="m-4 h-40" />;
  const evaluates = run.config?.evaluation?.every_steps != null;
  const algorithm = algorithms.data.find(({ id }) => id === run.algo);
  const metrics = metricsFor(registry, algorithm, evaluates);
  return (
    <RuleEditor
      run={run}
      saved={rules.data.rules}
      vocabulary={{ metrics, knobs: knobs.data.knobs, evaluates }}
    />
  );
}

interface RuleEditorProps {
  run: RunDetail;
  saved: readonly Rule[];
  vocabulary: Vocabulary;
}

/** The rules of a run as sentences. Nothing is sent before they are saved or tried. */
function RuleEditor({ run, saved, vocabulary }: RuleEditorProps) {
  const client = useQueryClient();
  const inForce = useMemo(() => saved.map(draftOf), [saved]);
  const [edited, setEdited] = useUnsaved(run.id);
  const drafts = edited ?? inForce;
  const { rules, problems } = written(drafts);
  const save = useMutation({
    mutationFn: () => saveRules(run.id, rules),
    onSuccess: (answer) => {
      client.setQueryData(keys.rules(run.id), answer);
      setEdited(null);
    },
  });
  const dryRun = useMutation({ mutationFn: () => tryRules(run.id, rules) });
  const change = (next: readonly RuleDraft[] | null) => {
    save.reset();
    dryRun.reset();
    setEdited(next);
  };
  const error = save.error ?? dryRun.error;
  const refused = error instanceof ApiError ? error.fields : [];
  const all = [...problems, ...refused];
  const isPlaced = refused.some(({ pointer }) => pointer.startsWith("/rules/"));
  return (
    <div className="p-4">
      <RuleList
        {...{ drafts, vocabulary }}
        threshold={run.reward_threshold}
        problems={all}
        onChange={change}
      >
        {drafts.length > 0 && run.step > 0 && (
          <Button
            size="sm"
            needsService
            busy={dryRun.isPending}
            unavailable={problems.length > 0 && MEND_FIRST}
            onClick={() => {
              save.reset();
              dryRun.mutate();
            }}
          >
            Try on the rows so far
          </Button>
        )}
        {edited && (
          <span className="ml-auto flex gap-2">
            <Button size="sm" variant="quiet" onClick={() => change(null)}>
              Discard
            </Button>
            <Button
              size="sm"
              variant="primary"
              needsService
              busy={save.isPending}
              unavailable={problems.length > 0 && MEND_FIRST}
              onClick={() => {
                dryRun.reset();
                save.mutate();
              }}
            >
              Save
            </Button>
          </span>
        )}
      </RuleList>
      {error && !isPlaced && (
        <p role="alert" className="mt-2 text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
      {save.isSuccess && (
        <p role="status" className="mt-2 text-xs text-ink-soft">
          Saved. {whenInForce(run)}
        </p>
      )}
      {dryRun.data && <DryRunFirings found={dryRun.data} />}
    </div>
  );
}

function whenInForce({ status }: RunDetail): string {
  return status === "running"
    ? "The run follows them from its next row on."
    : "The run follows them once it trains.";
}

type Edited = readonly RuleDraft[] | null;

/** Edited, unsaved rules by run. They outlive the panel, so that opening another tab loses nothing. */
export const unsaved = createStore<Readonly<Record<string, Edited>>>({});

/** The edited rules of a run, null without edits, and a function that sets them. */
function useUnsaved(run: string): [Edited, (edited: Edited) => void] {
  const edited = useStore(unsaved)[run] ?? null;
  return [edited, (next) => unsaved.set({ ...unsaved.get(), [run]: next })];
}
