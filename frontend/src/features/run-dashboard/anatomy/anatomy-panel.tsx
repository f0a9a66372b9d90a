"use client";

import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { environmentsQuery } from "@/api/choices";
import { anatomyQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { count } from "@/lib/number";
import { routes } from "@/lib/routes";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Slider } from "@/ui/slider";
import { AnatomyRow } from "./anatomy-row";
import { figuresOf, layerLabel } from "./figures";
import { Layers } from "./layers";
import { NormRow } from "./norm-row";

const WHILE_LIVE = 3000;

/**
 * One update in detail, and distributions of all updates over training. Initially the newest update is
 * selected.
 */
export function AnatomyPanel({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...anatomyQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE : false,
  });
  const { data: environments } = useQuery(environmentsQuery);
  const [step, setStep] = useState<number | null>(null);
  const environment = environmentOfRun(environments, run);
  const figures = figuresOf(data ?? [], environment);
  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <Skeleton className="h-40" />;
  }
  const last = data.length - 1;
  if (last < 0) return <Nothing run={run} />;
  const found = step === null ? -1 : data.findIndex((update) => update.step >= step);
  const chosen = found < 0 ? last : found;
  const choose = (update: number) => setStep(update === last ? null : data[update]!.step);
  const update = data[chosen]!;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-soft tabular-nums">
        <Slider
          label="Update"
          value={chosen}
          min={0}
          max={Math.max(last, 1)}
          onChange={(value) => choose(Math.min(value, last))}
          valueText={`step ${count(update.step)}`}
          className="w-56 max-w-full"
        />
        <span>
          {chosen === last ? "newest update, " : ""}step{" "}
          <b className="font-medium text-ink">{count(update.step)}</b>
        </span>
        <Link
          href={routes.explainRun(run.id)}
          className="ml-auto rounded-sm text-xs font-medium text-accent hover:underline"
        >
          Explain this run
        </Link>
      </div>
      {figures.map((figure) => (
        <AnatomyRow
          key={figure.id}
          figure={figure}
          updates={data}
          chosen={chosen}
          onChoose={choose}
        />
      ))}
      <LeftOut
        all={update.components}
        shown={update.actions?.length}
        what="components of actions"
      />
      <NormRow
        title="Gradient norm"
        help="Of the last minibatch, as the optimizer got it: clipped where the algorithm clips. The scale is logarithmic. Near 0 nothing is learned; a jump is an update much larger than those before."
        updates={data}
        of={({ gradient_norm }) => gradient_norm}
        chosen={chosen}
        onChoose={choose}
      />
      <Layers updates={data} chosen={chosen} onChoose={choose} />
      <NotFinite layers={update.not_finite ?? []} shown={update.layers?.length ?? 0} />
      <LeftOut
        all={update.layer_count}
        shown={(update.layers?.length ?? 0) + (update.not_finite?.length ?? 0)}
        what="layers"
      />
    </div>
  );
}

/** Layers of which this update has left no weight that is a number, and so no histogram. */
function NotFinite({ layers, shown }: { layers: readonly string[]; shown: number }) {
  if (layers.length === 0) return null;
  return (
    <p role="status" className="flex items-start gap-2 text-xs text-bad">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span>
        {shown === 0
          ? "No weight of any layer is a finite number after this update: training has broken down."
          : `No weight of ${layers.map(layerLabel).join(", ")} is a finite number after this update: training has broken down.`}
      </span>
    </p>
  );
}

/** Says where a network or an action is too large to be looked into as a whole. */
function LeftOut({
  all,
  shown,
  what,
}: {
  all: number | null | undefined;
  shown: number | undefined;
  what: string;
}) {
  if (!all || !shown || shown >= all) return null;
  return (
    <p className="text-2xs text-ink-faint">
      The first {shown} of {all} {what} are looked into.
    </p>
  );
}

function Nothing({ run }: { run: RunDetail }) {
  return (
    <p className="py-6 text-center text-sm text-ink-soft">
      {run.config?.anatomy === false
        ? "This run’s updates are not looked into. Switch it on in the form of a new run, beside the evaluation while training."
        : isActive(run)
          ? "Drawn after the first update"
          : "No update was looked into"}
    </p>
  );
}
