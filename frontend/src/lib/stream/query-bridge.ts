import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { type Evaluation, keys, type Run, type RunDetail, type RunPage } from "@/lib/api";
import type { StreamEvent } from "./events";

/** Lets the stream keep the query cache true, so that pages need not poll. */
export function applyToQueries(client: QueryClient, event: StreamEvent) {
  if (event.kind === "status") applyRun(client, event.run);
  else if (event.kind === "evaluation") applyEvaluation(client, event.evaluation);
  else if (event.kind === "end") applyEnd(client, event.end.run_id, event.end.status);
  else
    void client.invalidateQueries({
      predicate: ({ queryKey, state }) => isLive(queryKey[0]) || state.status === "error",
    });
}

function isLive(root: unknown): boolean {
  return root === keys.runs[0] || root === keys.run("")[0] || root === keys.health[0];
}

function applyRun(client: QueryClient, run: Run) {
  const before = client.getQueryData<RunDetail>(keys.run(run.id));
  if (before) client.setQueryData<RunDetail>(keys.run(run.id), { ...before, ...run });
  // The checkpoint and the queue's length are not part of a status event.
  if (before && before.status !== run.status) {
    void client.invalidateQueries({ queryKey: keys.run(run.id), exact: true });
    void client.invalidateQueries({ queryKey: keys.health });
  }
  applyToLists(client, run);
}

type Pages = InfiniteData<RunPage, string | undefined>;

function applyToLists(client: QueryClient, run: Run) {
  for (const [key, data] of client.getQueriesData<Pages>({ queryKey: keys.runs })) {
    const known = data?.pages.flatMap((page) => page.runs).find(({ id }) => id === run.id);
    if (data && known) client.setQueryData<Pages>(key, withRun(data, run));
    // A new run, or one that a filter may now include or exclude: only the service knows its place.
    if (!known || known.status !== run.status) {
      void client.invalidateQueries({ queryKey: key, exact: true });
    }
  }
}

function withRun(data: Pages, run: Run): Pages {
  const replace = (old: Run) => (old.id === run.id ? run : old);
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, runs: page.runs.map(replace) })),
  };
}

function applyEvaluation(client: QueryClient, evaluation: Evaluation) {
  const id = evaluation.run_id;
  client.setQueryData<Evaluation[]>(keys.evaluations(id), (old) => {
    if (!old) return old;
    const known = old.some((other) => other.id === evaluation.id);
    if (!known) return [evaluation, ...old];
    return old.map((other) => (other.id === evaluation.id ? evaluation : other));
  });
  // A finished evaluation may have retired an older video.
  if (evaluation.status === "completed") {
    void client.invalidateQueries({ queryKey: keys.evaluations(id) });
  }
}

function applyEnd(client: QueryClient, runId: string, status: string) {
  void client.invalidateQueries({ queryKey: keys.run(runId), exact: status !== "deleted" });
  if (status === "deleted") void client.invalidateQueries({ queryKey: keys.runs });
}
