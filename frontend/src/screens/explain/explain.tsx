"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { algorithmsQuery, useAlgorithmName } from "@/api/choices";
import { runQuery, runSearchQuery } from "@/api/runs";
import type { Algorithm, RunDetail } from "@/api/types";
import { setting } from "@/lib/number";
import { searchOf, useQueryString } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";
import { PageHeader } from "@/shell/page-header";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Combobox } from "@/ui/combobox";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Tabs } from "@/ui/tabs";
import { guides } from "./guides/registry";
import { HintsPanel } from "./hints-panel";
import { GuideSkeleton, Section } from "./section";

/** The guide to an algorithm. If a run is selected, the guide first shows the run's environment and preset. */
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
          What each algorithm does, what its hyperparameters change, and how training can fail.
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
      {waiting && !algorithms.error && (
        <div className="flex flex-col gap-6">
          <Skeleton className="h-8 max-w-xl" />
          <GuideSkeleton />
        </div>
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

/** The state in the page's address. */
interface ExplainAddress {
  run: string | null;
  algo: string | null;
}

function readExplainAddress(query: URLSearchParams): ExplainAddress {
  return { run: query.get("run") || null, algo: query.get("algo") || null };
}

function writeExplainAddress({ run, algo }: ExplainAddress): string {
  const query = new URLSearchParams();
  if (run) query.set("run", run);
  if (algo) query.set("algo", algo);
  return searchOf(query);
}

/** What saliency shows about a policy that sees images, and what it does not show. */
function SaliencyNote() {
  return (
    <section
      id="saliency"
      aria-labelledby="saliency-title"
      className="mt-10 flex max-w-[72ch] scroll-mt-16 flex-col gap-3 border-t border-line pt-6 text-base text-ink-soft"
    >
      <h2 id="saliency-title" className="text-lg font-semibold text-ink">
        What saliency shows
      </h2>
      <p>
        <em>Saliency</em> is drawn over an image that the agent saw. For each pixel, it shows the
        size of the gradient of one number with respect to this pixel. The number depends on the
        algorithm:
      </p>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        <li>PPO, A2C and TRPO with discrete actions: the logit of the chosen action.</li>
        <li>PPO, A2C and TRPO with continuous actions: V(s).</li>
        <li>DQN, QR-DQN, SAC and TD3: Q(s, a) of the chosen action.</li>
      </ul>
      <p>The map is smoothed, and its brightness is scaled separately for each step.</p>
      <p>
        The map shows which pixels would change that number if they changed a little. For example,
        it shows whether a policy for Pong reacts to the ball at all.
      </p>
      <p>
        It does not explain why the action was chosen, and dark pixels may still matter. A gradient
        misses saturated units and shows pixels rather than objects. For some networks, the map
        looks almost the same with random weights (
        <a
          href="https://arxiv.org/abs/1810.03292"
          target="_blank"
          rel="noreferrer"
          className="underline hover:text-ink"
        >
          Adebayo and others, 2018
        </a>
        ). To find out whether a policy needs something, remove it from the image and see whether
        the policy changes.
      </p>
    </section>
  );
}

/** The service's description of an algorithm that has no guide: its summary and its hyperparameters. */
function PlainGuide({ algorithm }: { algorithm: Algorithm }) {
  return (
    <div className="flex flex-col gap-9">
      <p className="max-w-[60ch] text-lg leading-relaxed text-pretty">
        {algorithm.title}. {algorithm.summary}
      </p>
      <Section id="knobs" title="Hyperparameters">
        <dl className="divide-y divide-line rounded-lg border border-line bg-surface">
          {algorithm.hyperparameters.map(({ name, help, default: value }) => (
            <div key={name} className="grid gap-x-6 px-4 py-2.5 sm:grid-cols-[14rem_1fr_8rem]">
              <dt className="font-mono text-sm font-medium">{name}</dt>
              <dd className="text-sm text-ink-soft">{help}</dd>
              <dd className="font-mono text-xs tabular-nums sm:text-right">{setting(value)}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </div>
  );
}

const FOUND = 20;

interface HintsRunPickerProps {
  value: string | null;
  name: string | undefined;
  onChange: (id: string) => void;
}

/** Selects the run whose hints are shown. */
function HintsRunPicker({ value, name, onChange }: HintsRunPickerProps) {
  const [text, setText] = useState("");
  const algorithmName = useAlgorithmName();
  const { data, error, isFetching } = useQuery({
    ...runSearchQuery(text, FOUND),
    placeholderData: keepPreviousData,
  });
  return (
    <Combobox
      label="Run"
      className="sm:w-72!"
      empty="Select a run to see its hints…"
      placeholder="Search runs"
      value={value}
      shown={name}
      onChange={onChange}
      onSearch={setText}
      loading={isFetching}
      none={error ? "The search for runs failed" : "No run matches"}
      options={(data?.runs ?? []).map((run) => ({
        value: run.id,
        label: run.name,
        detail: `${algorithmName(run.algo)} · ${run.env_id} · ${run.id.slice(-4)}`,
        aside: <StatusBadge status={run.status} />,
      }))}
    />
  );
}
