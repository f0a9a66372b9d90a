"use client";

import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery } from "@/api/choices";
import { runQuery } from "@/api/runs";
import type { Algorithm, RunDetail } from "@/api/types";
import { useQueryString } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";
import { PageHeader } from "@/shell/page-header";
import { Button } from "@/ui/button";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Tabs } from "@/ui/tabs";
import { type ExplainAddress, readExplainAddress, writeExplainAddress } from "./explain-address";
import { PlainGuide } from "./guide/plain-guide";
import { guides } from "./guides/registry";
import { HintsPanel } from "./hints/hints-panel";
import { HintsRunPicker } from "./hints/hints-run-picker";
import { SaliencyNote } from "./saliency-note";

/** The guide to an algorithm, which begins with the run's environment and preset if it trains with that. */
function GuideTo({ algorithm, run }: { algorithm: Algorithm; run: RunDetail | undefined }) {
  const Guide = guides[algorithm.id];
  const own = run?.algo === algorithm.id ? run : null;
  if (!Guide) return <PlainGuide algorithm={algorithm} />;
  return (
    <Guide
      environment={run?.env_id ?? null}
      runId={own?.id ?? null}
      config={own?.config ?? null}
      options={run?.env_options}
      preset={own?.preset ?? null}
    />
  );
}

/** The Explain page: guides to the algorithms, and hints about the curves of a run. */
export function Explain() {
  const [query, change] = useQueryString();
  const address = readExplainAddress(query);
  const runId = address.run !== null && isRunId(address.run) ? address.run : null;
  const {
    data: run,
    error,
    refetch,
  } = useQuery({
    ...runQuery(runId ?? ""),
    enabled: runId !== null,
  });
  const algorithms = useQuery(algorithmsQuery);
  const explained = algorithms.data?.filter(({ actor }) => actor === "policy") ?? [];
  const waiting = algorithms.isPending || (runId !== null && !run && !error);
  const asked = address.algo ?? run?.algo;
  const algo = explained.find(({ id }) => id === asked)?.id ?? explained[0]?.id ?? "";
  const show = (part: Partial<ExplainAddress>) =>
    change((now) => writeExplainAddress({ ...readExplainAddress(now), ...part }));
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-0">
        <PageHeader title="Explain">
          What each algorithm does, what its settings change, and how runs go wrong.
        </PageHeader>
        <div className="mb-5 flex w-full gap-2 sm:w-auto">
          <HintsRunPicker
            value={runId}
            name={run?.name}
            onChange={(id) => show({ run: id, algo: null })}
          />
          {runId && <Button onClick={() => show({ run: null, algo })}>Clear</Button>}
        </div>
      </div>
      {runId && (
        <div className="mb-6">
          {run ? (
            <HintsPanel key={run.id} run={run} />
          ) : error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <Skeleton className="h-48" />
          )}
        </div>
      )}
      {algorithms.error && (
        <ErrorState error={algorithms.error} retry={() => void algorithms.refetch()} />
      )}
      {!waiting && explained.length > 0 && (
        <Tabs
          label="Algorithms"
          value={algo}
          onChange={(next) => show({ algo: next })}
          tabs={explained.map((algorithm) => ({
            value: algorithm.id,
            label: algorithm.name,
            content: (
              <div className="pt-6">
                <GuideTo algorithm={algorithm} run={run} />
              </div>
            ),
          }))}
        />
      )}
      <SaliencyNote />
    </>
  );
}
