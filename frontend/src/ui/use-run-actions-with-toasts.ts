"use client";

import { useMemo } from "react";
import { ApiError, explainAction } from "@/api/http";
import { type RunActions, useRunActions } from "@/api/run-actions";
import type { CreateEvaluation, Run } from "@/api/types";
import { plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { toast } from "./toast";

/** A run with the name that messages use. */
export interface NamedRun {
  id: string;
  name: string;
  /** If given, error messages are dismissed once the run has another status. */
  status?: Run["status"];
}

/**
 * Run actions that report their outcome in a toast, since the run may be out of sight by then. None of them
 * rejects; each resolves to the runs for which it succeeded.
 */
export function useRunActionsWithToasts(go: (href: string) => void) {
  const actions = useRunActions();
  return useMemo(() => runActionsWithToasts(actions, go), [actions, go]);
}

function runActionsWithToasts(actions: RunActions, go: (href: string) => void) {
  /** Performs the action for each run, and reports those for which it failed. */
  async function forEach<R extends NamedRun>(
    runs: readonly R[],
    act: (id: string) => Promise<unknown>,
    failed: string,
  ): Promise<R[]> {
    const outcomes = await Promise.allSettled(runs.map(({ id }) => act(id)));
    const broken = outcomes.find((outcome) => outcome.status === "rejected");
    if (broken) tellFailure(runs, failed, broken.reason as Error);
    return runs.filter((_, i) => outcomes[i]?.status === "fulfilled");
  }

  async function restore(runs: readonly NamedRun[]) {
    const back = await forEach(runs, actions.restore, `${what(runs)} could not be restored`);
    if (back.length > 0) toast({ tone: "good", title: `Restored ${what(back)}` });
    return back;
  }

  async function remove(runs: readonly NamedRun[]) {
    const gone = await forEach(runs, actions.remove, `${what(runs)} could not be deleted`);
    if (gone.length > 0) {
      toast({
        title: `Deleted ${what(gone)}`,
        action: { label: "Undo", onAction: () => void restore(gone) },
        link: { label: "Trash", onFollow: () => go(routes.trash) },
        cause: gone.length === 1 && gone[0] ? { run: gone[0].id, status: "deleted" } : undefined,
      });
    }
    return gone;
  }

  async function evaluate(run: NamedRun, wanted: CreateEvaluation) {
    const ask = (id: string) => actions.evaluate(id, wanted);
    const asked = await forEach([run], ask, `${run.name} could not be evaluated`);
    if (asked.length > 0) toast({ tone: "good", title: "The evaluation is under way" });
    return asked;
  }

  return {
    start: (run: NamedRun) => forEach([run], actions.start, `${run.name} could not be started`),
    stop: (run: NamedRun) => forEach([run], actions.stop, `${run.name} could not be stopped`),
    pause: (run: NamedRun) => forEach([run], actions.pause, `${run.name} could not be paused`),
    resume: (run: NamedRun) =>
      forEach([run], (id) => actions.resume(id), `${run.name} could not be resumed`),
    evaluate,
    remove,
    restore,
    duplicate: (run: Pick<NamedRun, "id">) => go(routes.duplicate(run.id)),
    compare: (ids: readonly string[]) => go(routes.compareRuns(ids)),
  };
}

function tellFailure(runs: readonly NamedRun[], title: string, error: Error) {
  const [run] = runs;
  const cause =
    error instanceof ApiError && error.isUnreachable
      ? "service"
      : runs.length === 1 && run?.status
        ? { run: run.id, status: run.status }
        : undefined;
  toast({ tone: "bad", title, description: explainAction(error), cause });
}

function what(runs: readonly NamedRun[]): string {
  const [first] = runs;
  return runs.length === 1 && first ? `“${first.name}”` : plural(runs.length, "run");
}
