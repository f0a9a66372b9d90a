"use client";

import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { groupRunsQuery, type RunFilter, runPageQuery, RUNS_A_PAGE } from "@/api/runs";
import type { Run, RunPage, SeedGroup } from "@/api/types";

/** A line of the list: a run, a group of seeds as one line, or a seed below its open group. */
export interface Line {
  /** For a group, the run that gives its line the name; null until loaded. */
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
    /** The line of the run or group that a line belongs to: itself, unless it is the line of a seed. */
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

/** The content of the lines around those in view. */
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

/** A group whose seeds have lines of their own below it. `index`: its place in the list of runs and groups. */
export interface OpenGroup {
  index: number;
  group: SeedGroup;
}

/** Position of a line: its place in the list, and which seed of the open group it is; null for the group's own line. */
export interface Place {
  index: number;
  seed: number | null;
}

/** The open groups among the pages that are loaded, in the order of the list. Groups of other pages count as closed. */
export function openGroups(
  pages: ReadonlyMap<number, RunPage>,
  opened: ReadonlySet<string>,
  size: number,
): OpenGroup[] {
  if (opened.size === 0) return [];
  const found: OpenGroup[] = [];
  for (const [page, { runs, groups }] of pages) {
    runs.forEach((run, i) => {
      if (!opened.has(run.group_id)) return;
      const group = groups.find(({ id }) => id === run.group_id);
      if (group) found.push({ index: page * size + i, group });
    });
  }
  return found.sort((one, other) => one.index - other.index);
}

export function placeOf(line: number, open: readonly OpenGroup[]): Place {
  let inserted = 0;
  for (const { index, group } of open) {
    const seed = line - index - inserted - 1;
    if (seed < 0) break;
    if (seed < group.run_ids.length) return { index, seed };
    inserted += group.run_ids.length;
  }
  return { index: line - inserted, seed: null };
}

export function lineOfPlace({ index, seed }: Place, open: readonly OpenGroup[]): number {
  const inserted = open
    .filter((other) => other.index < index)
    .reduce((sum, { group }) => sum + group.run_ids.length, 0);
  return index + inserted + (seed === null ? 0 : seed + 1);
}

/** Number of lines of a list of `total` places. */
export function lineCount(total: number, open: readonly OpenGroup[]): number {
  return open.reduce((sum, { group }) => sum + group.run_ids.length, total);
}

/**
 * The first page of a list, with the total. While another filter loads, the former list stays.
 *
 * @param refetchOnMount `"always"` where the page opens. What mounts with the answer does not ask again.
 */
export function useFirstPage(filter: RunFilter, refetchOnMount?: "always") {
  return useQuery({
    ...runPageQuery(filter, 0),
    placeholderData: keepPreviousData,
    refetchOnMount,
  });
}

interface Lines {
  first: number;
  last: number;
  total: number;
  /** Whether rows scroll by too fast to read; no page is requested meanwhile. */
  passing: boolean;
}

/** The runs and groups around those in view; null where the page is not loaded. */
function useRunsAround(filter: RunFilter, { first, last, total, passing }: Lines) {
  const head = useFirstPage(filter);
  const wanted = pagesAround(first, last, total, RUNS_A_PAGE).filter((page) => page > 0);
  const rest = useQueries({
    queries: wanted.map((page) => ({ ...runPageQuery(filter, page), enabled: !passing })),
  });
  const pages = new Map(wanted.map((page, i) => [page, rest[i]?.data]));
  pages.set(0, head.data);
  const itemAt = (index: number): { run: Run | null; group: SeedGroup | null } => {
    const page = pages.get(Math.floor(index / RUNS_A_PAGE));
    const run = page?.runs[index % RUNS_A_PAGE] ?? null;
    const group = filter.grouped && run ? groupOf(page, run) : null;
    return { run, group };
  };
  return { itemAt, error: rest.find(({ error }) => error)?.error ?? null };
}

/** Returns a function that loads the ids of the runs from place `first` to `last`, groups with all their runs. */
export function useIdsOfLines(filter: RunFilter) {
  const client = useQueryClient();
  return async (first: number, last: number): Promise<string[]> => {
    const pages = await Promise.all(
      pagesOf(first, last, RUNS_A_PAGE).map((page) =>
        client.ensureQueryData(runPageQuery(filter, page)),
      ),
    );
    const begin = Math.floor(first / RUNS_A_PAGE) * RUNS_A_PAGE;
    const ids = pages.flatMap((page) =>
      page.runs.map((run) =>
        filter.grouped ? (groupOf(page, run)?.run_ids ?? [run.id]) : [run.id],
      ),
    );
    return ids.slice(first - begin, last - begin + 1).flat();
  };
}

function groupOf(page: RunPage | undefined, run: Run): SeedGroup | null {
  return page?.groups?.find(({ id }) => id === run.group_id) ?? null;
}

/** Rows to load before and after those in view, so that scrolling finds them loaded. */
const AHEAD = 30;

/** Numbers of the pages that contain rows `first` to `last` and AHEAD rows on either side, of `total` rows. */
export function pagesAround(first: number, last: number, total: number, size: number): number[] {
  const from = Math.max(0, Math.floor((first - AHEAD) / size));
  const to = Math.floor(Math.min(total - 1, last + AHEAD) / size);
  return pagesBetween(from, to);
}

/** Numbers of the pages that contain rows `first` to `last`. */
export function pagesOf(first: number, last: number, size: number): number[] {
  return pagesBetween(Math.floor(first / size), Math.floor(last / size));
}

function pagesBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
