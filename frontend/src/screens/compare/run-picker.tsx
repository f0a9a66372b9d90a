"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { GitCompareArrows, Plus } from "lucide-react";
import { useState } from "react";
import { useAlgorithmName, useLimits } from "@/api/choices";
import { runSearchQuery } from "@/api/runs";
import type { Run } from "@/api/types";
import { age } from "@/lib/format-time";
import { routes } from "@/lib/routes";
import { useNow } from "@/lib/time";
import { StatusBadge } from "@/ui/badge";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { OptionList } from "@/ui/combobox-options";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Popover } from "@/ui/popover";
import { Skeleton } from "@/ui/progress";

interface RunPickerProps {
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}

const FOUND = 30;

/** Finds runs by name, algorithm or environment, and adds or removes them. */
export function RunPicker({ chosen, onChange }: RunPickerProps) {
  const [open, setOpen] = useState(false);
  const most = useLimits()?.compared_runs.maximum;
  const full = most !== undefined && chosen.length >= most;
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return (
    <Popover
      label="Add runs"
      open={open}
      onOpenChange={setOpen}
      className="w-96"
      trigger={<Button icon={<Plus aria-hidden className="size-3.5" />}>Add runs</Button>}
    >
      <Search {...{ chosen, most, full }} onChoose={toggle} />
    </Popover>
  );
}

interface SearchProps {
  chosen: readonly string[];
  /** Maximum number of runs that can be compared; undefined until loaded. */
  most: number | undefined;
  full: boolean;
  onChoose: (id: string) => void;
}

function Search({ chosen, most, full, onChoose }: SearchProps) {
  const [text, setText] = useState("");
  const now = useNow("minute");
  const algorithmName = useAlgorithmName();
  const { data, isFetching, error } = useQuery({
    ...runSearchQuery(text, FOUND),
    placeholderData: keepPreviousData,
  });
  const options = (data?.runs ?? []).map((run) => ({
    value: run.id,
    label: run.name,
    detail: `${algorithmName(run.algo)} · ${run.env_id} · ${age(run.created_at, now)}`,
    aside: <StatusBadge status={run.status} />,
    disabled: full && !chosen.includes(run.id),
  }));
  return (
    <OptionList
      label="Runs"
      placeholder="Search runs"
      options={options}
      chosen={(id) => chosen.includes(id)}
      onChoose={onChoose}
      onSearch={setText}
      loading={isFetching}
      none={error ? "The runs could not be searched" : "No run matches"}
      footer={
        <p className="border-t border-line px-3 py-2 text-xs text-ink-faint">
          {full
            ? `You can compare up to ${most} runs.`
            : `${chosen.length} ${most === undefined ? "" : `of up to ${most} `}chosen`}
        </p>
      }
    />
  );
}

interface SuggestionsProps {
  chosen: readonly string[];
  onChoose: (ids: string[]) => void;
}

const LOOKED_AT = 20;

/** Shown with fewer than two runs: what a comparison shows, and one to begin with. */
export function Suggestions({ chosen, onChoose }: SuggestionsProps) {
  const { data, error, refetch, isFetching } = useQuery(runSearchQuery("", LOOKED_AT));
  if (error && !data) {
    return (
      <Card label="Compare">
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      </Card>
    );
  }
  if (!data) return <Skeleton className="h-72" />;
  const pair = suggest(data.runs, chosen);
  return (
    <Card label="Compare" bodyClass="">
      <EmptyState
        icon={GitCompareArrows}
        title={
          chosen.length === 0 ? "Choose two or more runs" : "Choose another run to compare with"
        }
        action={
          pair ? (
            <Button
              variant="primary"
              className="h-auto! max-w-full min-w-0 py-2 whitespace-normal!"
              onClick={() => onChoose(pair.map(({ id }) => id))}
            >
              <span className="min-w-0 wrap-anywhere">
                Compare {pair.map(({ name }) => name).join(" and ")}
              </span>
            </Button>
          ) : (
            <HoverLink href={routes.home} className={buttonClass("primary")}>
              {data.total === 0 ? "Train a first run" : "Train another run"}
            </HoverLink>
          )
        }
      >
        Compare learning curves, best averages, steps and time to a threshold, settings, and videos.
        You can share the comparison as a link.
      </EmptyState>
    </Card>
  );
}

interface ChosenPair {
  /** Null: there are not two, or others are chosen. */
  pair: readonly [Run, Run] | null;
  isPending: boolean;
}

/** Two completed runs for an address without runs. */
export function useChosenPair(wanted: boolean): ChosenPair {
  const { data, isPending } = useQuery({ ...runSearchQuery("", LOOKED_AT), enabled: wanted });
  return {
    pair: wanted && data ? pairOfCompleted(data.runs) : null,
    isPending: wanted && isPending,
  };
}

/**
 * The newest completed run, and another one of the same environment with different settings, or with only another seed
 * if there is no such run. `runs` must be newest first.
 */
export function pairOfCompleted(runs: readonly Run[]): [Run, Run] | null {
  const completed = runs.filter(({ status, step }) => status === "completed" && step > 0);
  const pairs = completed.flatMap((first, i) =>
    completed
      .slice(i + 1)
      .filter(({ env_id }) => env_id === first.env_id)
      .map((second): [Run, Run] => [first, second]),
  );
  return pairs.find(([one, other]) => one.group_id !== other.group_id) ?? pairs[0] ?? null;
}

/**
 * A pair of runs worth comparing: the selected one, or the newest with something learned, and the newest
 * other one, preferably in the same environment. Null with fewer than two runs. `runs` must be newest first.
 */
export function suggest(runs: readonly Run[], chosen: readonly string[]): [Run, Run] | null {
  const begun = runs.filter(({ step }) => step > 0);
  const first =
    runs.find(({ id }) => id === chosen[0]) ?? (chosen.length === 0 ? begun[0] : undefined);
  if (!first) return null;
  const others = begun.filter(({ id }) => id !== first.id);
  const second = others.find(({ env_id }) => env_id === first.env_id) ?? others[0];
  return second ? [first, second] : null;
}
