"use client";

import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery } from "@/api/choices";
import { useMetricRegistry } from "@/api/metric-registry";
import { knobsQuery, rulesQuery } from "@/api/rules";
import type { RunDetail } from "@/api/types";
import { metricsFor } from "@/forms/rules/draft";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { RuleEditor } from "./rule-editor";

/** What a run does by itself, to be read, changed and tried. */
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
