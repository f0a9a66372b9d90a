import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import type { Evaluation, Run, RunDetail, RunPage } from "@/api/types";
import type { StreamEvent } from "./events";

const RUN = keys.run("")[0];
/** Keys of a list's pages begin with the list's key. */
const LIST_KEY_LENGTH = keys.runList({}).length;
const LIVE: readonly unknown[] = [RUN, keys.runs[0], keys.health[0]];
/** The list that a page of runs belongs to. */
const listOf = (key: QueryKey) => hashKey(key.slice(0, LIST_KEY_LENGTH));

/** Returns a function that applies a stream event to the query cache, so that pages need not poll. */
export function queryBridge(client: QueryClient): (event: StreamEvent) => void {
  const statuses = new Map<string, Run["status"]>();
  const places = new Map<string, number | null>();

  const invalidate = (queryKey: QueryKey, exact = false) =>
    void client.invalidateQueries({ queryKey, exact });

  function applyRun(run: Run) {
    const seen = statuses.get(run.id);
    // A run that moves in the queue changes the place of others, which the service does not report.
    const isMoved = places.has(run.id) && places.get(run.id) !== run.queue_position;
    const changed = seen !== run.status || (run.status === "queued" && isMoved);
    statuses.set(run.id, run.status);
    places.set(run.id, run.queue_position);
    const before = client.getQueryData<RunDetail>(keys.run(run.id));
    if (before) patch<RunDetail>(client, keys.run(run.id), { ...before, ...run });
    // Some answers are not part of a status event: the checkpoint, the queue's length, and what pages ask for at
    // intervals while the run trains (hints, the log). They have their final content only now. An evaluation may solve
    // a run that ended long ago, after which hints and evaluations say something else.
    const isSolved = before !== undefined && !before.solved && Boolean(run.solved);
    if (before && (before.status !== run.status || isSolved)) invalidate(keys.run(run.id));
    else if (before && before.best_policy?.step !== run.best_policy?.step)
      invalidate(keys.run(run.id), true); // its best evaluation may be another one
    if ((seen ?? before?.status ?? run.status) !== run.status) invalidate(keys.health);
    if (changed) invalidateQueued(client, run.id);
    applyToLists(run, changed);
  }

  /** A list is all the pages of one filter; a run is on at most one of them. */
  function applyToLists(run: Run, changed: boolean) {
    const known = new Map<string, Run | null>();
    for (const [key, data] of client.getQueriesData<RunPage>({ queryKey: keys.runs })) {
      const list = listOf(key);
      const old = data?.runs.find(({ id }) => id === run.id);
      // A status change does not change which runs a list of named runs contains.
      const isNamed = key[1] === keys.namedRuns[1];
      if (!isNamed && (!known.has(list) || old)) known.set(list, old ?? null);
      if (data && old) patch(client, key, withRun(data, run));
    }
    // While the user moves runs in the queue, its order is ahead of the service. The last move reloads it.
    if (client.isMutating({ mutationKey: keys.queueMoves }) > 0) known.delete(listOf(keys.queue));
    for (const [list, old] of known) {
      // A new run, or one that a filter may now include or exclude: only the service knows its
      // place.
      const moved = old === null ? changed : old.status !== run.status || isRequeued(old, run);
      if (!moved) continue;
      // Not by the list's key: an empty filter is part of every other one.
      const predicate = ({ queryKey }: { queryKey: QueryKey }) => listOf(queryKey) === list;
      void client.invalidateQueries({ queryKey: keys.runs, predicate });
    }
  }

  return (event) => {
    switch (event.kind) {
      case "status":
        return applyRun(event.run);
      case "evaluation":
        return applyEvaluation(client, event.evaluation);
      case "end": {
        const { run_id: id, status } = event.end;
        invalidate(keys.run(id), status !== "deleted");
        if (status !== "deleted") return;
        statuses.delete(id);
        places.delete(id);
        return invalidate(keys.runs);
      }
      case "reopened":
        return invalidate(keys.runs);
      case "refused":
        return invalidate([RUN]);
      case "reconnected":
        return void client.invalidateQueries({
          predicate: ({ queryKey, state }) =>
            LIVE.includes(queryKey[0]) || state.status === "error",
        });
    }
  };
}

/** Whether the run's place in the queue changed, so that those of other runs changed too. */
function isRequeued(old: Run, run: Run): boolean {
  return run.status === "queued" && old.queue_position !== run.queue_position;
}

/** Changes cached data without changing its age. */
function patch<Data>(client: QueryClient, queryKey: QueryKey, data: Data) {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (!query) return;
  const { dataUpdatedAt: updatedAt, isInvalidated } = query.state;
  client.setQueryData<Data>(queryKey, () => data, { updatedAt });
  if (isInvalidated) query.invalidate();
}

/** A run's change of status may change the queue position of all others. */
function invalidateQueued(client: QueryClient, except: string) {
  void client.invalidateQueries({
    predicate: ({ queryKey: [root, id, ...rest], state }) =>
      root === RUN &&
      id !== except &&
      rest.length === 0 &&
      (state.data as RunDetail | undefined)?.status === "queued",
  });
}

function withRun(page: RunPage, run: Run): RunPage {
  return { ...page, runs: page.runs.map((old) => (old.id === run.id ? run : old)) };
}

function applyEvaluation(client: QueryClient, evaluation: Evaluation) {
  const key = keys.evaluations(evaluation.run_id);
  const old = client.getQueryData<Evaluation[]>(key);
  if (old) patch(client, key, withEvaluation(old, evaluation));
  if (evaluation.status === "completed" || evaluation.status === "failed")
    void client.invalidateQueries({ queryKey: keys.events(evaluation.run_id) });
  // The service keeps a limited number of videos, so a new one may have replaced an older one.
  if (evaluation.status === "completed") {
    void client.invalidateQueries({ queryKey: key });
    void client.invalidateQueries({ queryKey: keys.run(evaluation.run_id), exact: true });
    void client.invalidateQueries({ queryKey: keys.judgedTogether });
  }
}

function withEvaluation(old: Evaluation[], evaluation: Evaluation): Evaluation[] {
  if (!old.some(({ id }) => id === evaluation.id)) return [evaluation, ...old];
  return old.map((other) => (other.id === evaluation.id ? evaluation : other));
}
