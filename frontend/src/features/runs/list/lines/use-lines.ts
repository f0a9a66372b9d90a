"use client";

import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { groupRunsQuery, type RunFilter, runPageQuery, RUNS_A_PAGE } from "@/api/runs";
import type { Run, RunPage, SeedGroup } from "@/api/types";
import { useRunsAround } from "../paging/use-run-pages";
import { lineCount, lineOfPlace, openGroups, placeOf } from "./open-groups";

/** A line of the list: a run, a group of seeds as one line, or a seed below its open group. */
export interface Line {
  /** Of a group the run that its line is named after; null until it is loaded. */
  run: Run | null;
  /** The group, if this is its line. */
  group: SeedGroup | null;
  isSeed: boolean;
  isOpen: boolean;
  /** Place in the list, where the seeds of a group have the place of the group. */
  index: number;
}

/** Which groups of a list show their seeds. */
export function useOpened() {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const unfold = (id: string, open: boolean) =>
    setOpened((old) => {
      const next = new Set(old);
      if (open) next.add(id);
      else next.delete(id);
      return next;
    });
  return { opened, unfold };
}

/** The number of lines of a list of `total` runs and groups, and how to get from lines to places and back. */
export function useLinePlaces(filter: RunFilter, total: number, opened: ReadonlySet<string>) {
  const client = useQueryClient();
  const pages = new Map<number, RunPage>();
  for (let page = 0; opened.size > 0 && page * RUNS_A_PAGE < total; page += 1) {
    const known = client.getQueryData<RunPage>(runPageQuery(filter, page).queryKey);
    if (known) pages.set(page, known);
  }
  const open = openGroups(pages, opened, RUNS_A_PAGE);
  return {
    open,
    count: lineCount(total, open),
    /** The line of the run or group that the line belongs to: its own, unless it is that of a seed. */
    head: (line: number) => lineOfPlace({ index: placeOf(line, open).index, seed: null }, open),
  };
}

type LinePlaces = ReturnType<typeof useLinePlaces>;

interface LinesInView {
  first: number;
  last: number;
  total: number;
  /** Whether rows scroll by too fast to read. */
  passing: boolean;
}

/** What is on the lines around those in view. */
export function useLinesAround(
  filter: RunFilter,
  { open }: LinePlaces,
  { first, last, ...rest }: LinesInView,
) {
  const { itemAt, error } = useRunsAround(filter, {
    first: placeOf(first, open).index,
    last: placeOf(last, open).index,
    ...rest,
  });
  const groups = useQueries({ queries: open.map(({ group }) => groupRunsQuery(group.id)) });
  const lineAt = (line: number): Line => {
    const { index, seed } = placeOf(line, open);
    const at = open.findIndex((one) => one.index === index);
    if (seed !== null) {
      const id = open[at]?.group.run_ids[seed];
      const run = groups[at]?.data?.runs.find((one) => one.id === id) ?? null;
      return { run, group: null, isSeed: true, isOpen: false, index };
    }
    return { ...itemAt(index), isSeed: false, isOpen: at >= 0, index };
  };
  return { lineAt, error: error ?? groups.find((query) => query.error)?.error ?? null };
}
