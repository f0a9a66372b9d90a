"use client";

import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { experimentQuery, searchQuery } from "@/api/experiments";
import { madeText } from "@/api/method-text";
import type { Experiment, SearchedTrial, SearchResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { decimal } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { type Brushes, coordinatesOf, passes } from "./coordinates";
import { ParallelCoordinates } from "./parallel-coordinates";
import { HistoryPlot, ImportanceBars, MarkLegend, SlicePlots } from "./search-plots";
import { countText, searchText, TrialList } from "./trial-list";
import { TrialPanel } from "./trial-panel";

/** The state of a search; hidden for other experiments. */
export function SearchView({ id }: { id: string }) {
  const { data: experiment } = useQuery(experimentQuery(id));
  return experiment?.searches ? <Search experiment={experiment} /> : null;
}

function Search({ experiment }: { experiment: Experiment }) {
  const { data, error, refetch, isFetching } = useQuery(
    searchQuery(experiment.id, ["completed", "failed"].includes(experiment.status)),
  );
  if (data) return <Found experiment={experiment} search={data} />;
  if (error) return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  return (
    <div role="status" aria-label="Loading the search">
      <Skeleton className="h-72" />
    </div>
  );
}

function Found({ experiment, search }: { experiment: Experiment; search: SearchResults }) {
  const [brushes, setBrushes] = useState<Brushes>({});
  const [chosen, setChosen] = useState<number | null>(null);
  const panel = useRef<HTMLElement>(null);
  /** From the list, which stands far below the trial's panel. */
  const pickInList = (number: number) => {
    flushSync(() => setChosen(number));
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  };
  const { axes, lines } = useMemo(() => coordinatesOf(search), [search]);
  const { trials, best, caution, wanted, made } = search;
  const isOver =
    ["completed", "failed"].includes(experiment.status) &&
    !trials.some(({ state }) => state === "running");
  const isBrushed = Object.keys(brushes).length > 0;
  const passing = new Set(
    lines.filter((line) => passes(axes, line, brushes)).map(({ number }) => number),
  );
  const picked = chosen ?? best?.number ?? null;
  const trial = trials.find(({ number }) => number === picked);
  const cellsOf = (trial: SearchedTrial) =>
    experiment.cells.filter(({ variant }) => variant === trial.variant);
  const bestRuns = best ? cellsOf(best).flatMap(({ run_id }) => run_id ?? []) : [];
  const how = made.objective && madeText(made.objective);
  const drawing = { best, picked, onPick: setChosen, axes, lines, passing };
  if (trials.length === 0) {
    return (
      <EmptyState icon={Sparkles} title="No trial yet">
        {experiment.status === "running"
          ? "The first trial appears in a moment."
          : "This search ended before its first trial."}
      </EmptyState>
    );
  }
  return (
    <>
      <Card
        title="Search"
        aside={how && <ChartHelp title="the objective" text={how} />}
        bodyClass="flex flex-col gap-3 p-4"
      >
        <p className="text-lg font-semibold">
          {best
            ? `${isOver ? "Best" : "Best so far"}: ${decimal(best.objective)}, by trial ${best.number}`
            : `No trial is complete${isOver ? "" : " yet"}`}
        </p>
        <p className="text-xs text-ink-soft">
          {countText(search, experiment.cells)}. {searchText(search)}
        </p>
        {caution && <p className="text-xs text-warn">{caution}</p>}
        <HistoryPlot {...{ trials, wanted, picked, onPick: setChosen }} />
        <MarkLegend
          states={(["complete", "running", "pruned", "failed"] as const).filter((state) =>
            trials.some((one) => one.state === state),
          )}
          hasBest={best !== null}
        />
      </Card>
      {trial && (
        <TrialPanel
          key={trial.number}
          ref={panel}
          {...{ experiment, trial, isOver, how }}
          isBest={trial.number === best?.number}
          cells={cellsOf(trial)}
          bestRuns={bestRuns}
        />
      )}
      {lines.length > 1 && (
        <Card
          title="Parallel coordinates"
          aside={
            <span className="flex items-center gap-1">
              {isBrushed && (
                <Button size="sm" variant="quiet" onClick={() => setBrushes({})}>
                  Show all
                </Button>
              )}
              {how && <ChartHelp title="the objective at the end of a line" text={how} />}
            </span>
          }
        >
          <p className="mb-2 text-xs text-ink-faint" role="status">
            {isBrushed
              ? `${passing.size} of ${lines.length} complete trials match the selection.`
              : "Drag along an axis to select a range, or move its ends with the arrow keys."}
          </p>
          <ParallelCoordinates {...drawing} brushes={brushes} onBrush={setBrushes} />
        </Card>
      )}
      {lines.length > 1 && (
        <div className="grid gap-4 lg:grid-cols-[18rem_minmax(0,1fr)] lg:items-start">
          <ImportanceBars search={search} />
          <Card
            title="Slices"
            aside={how && <ChartHelp title="the objective of a slice" text={how} />}
          >
            <SlicePlots {...drawing} />
          </Card>
        </div>
      )}
      <Card title={isBrushed ? "Selected trials, best first" : "Trials, best first"}>
        <TrialList
          {...{ search, how, picked, onPick: pickInList }}
          passing={isBrushed ? passing : null}
          seeds={experiment.seeds}
          cells={experiment.cells}
        />
      </Card>
    </>
  );
}
