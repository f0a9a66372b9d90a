"use client";

import { useMemo } from "react";
import { ApiError, explainAction } from "@/api/http";
import { canDo } from "@/api/run-availability";
import { type RunActions, useRunActions } from "@/api/run-actions";
import type { CreateEvaluation, QueueMove, Run } from "@/api/types";
import { count, plural } from "@/lib/number";
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

export type RunActionsWithToasts = ReturnType<typeof runActionsWithToasts>;

function runActionsWithToasts(actions: RunActions, go: (href: string) => void) {
  /** Performs the action for each run, and reports those that failed. */
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
    if (asked.length > 0) toast({ tone: "good", title: "The evaluation has started" });
    return asked;
  }

  /** Stops or pauses the runs for which that is possible, and reports their number. */
  async function endMany(action: "stop" | "pause", runs: readonly Run[]) {
    const able = runs.filter((run) => canDo(action, run));
    if (able.length === 0) {
      toast({ title: `None of ${plural(runs.length, "selected run")} trains` });
      return able;
    }
    const word = { stop: "stopped", pause: "paused" }[action];
    const act = (id: string) => actions[action](id);
    const done = await forEach(able, act, `${what(able)} could not be ${word}`);
    if (done.length > 0) {
      const all = done.length === runs.length ? "" : ` of ${count(runs.length)}`;
      const title = `${{ stop: "Stopping", pause: "Pausing" }[action]} ${count(done.length)}${all} ${done.length === 1 && all === "" ? "run" : "runs"}`;
      toast({ tone: "good", title });
    }
    return done;
  }

  /** Adds a tag to the runs, or removes it. */
  async function tagMany(runs: readonly Run[], tag: string, add: boolean) {
    const changed = runs.filter(({ tags }) => tags.includes(tag) !== add);
    const tags = new Map(changed.map((run) => [run.id, run.tags]));
    const act = (id: string) => {
      const others = (tags.get(id) ?? []).filter((other) => other !== tag);
      return actions.relabel(id, { tags: add ? [...others, tag] : others });
    };
    const done = await forEach(changed, act, `${what(changed)} could not be tagged`);
    const verb = add ? "Tagged" : "Removed the tag from";
    toast({ tone: "good", title: `${verb} ${plural(done.length, "run")}: ${tag}` });
    return done;
  }

  return {
    start: (run: NamedRun) => forEach([run], actions.start, `${run.name} could not be started`),
    stop: (run: NamedRun) => forEach([run], actions.stop, `${run.name} could not be stopped`),
    pause: (run: NamedRun) => forEach([run], actions.pause, `${run.name} could not be paused`),
    resume: (run: NamedRun) =>
      forEach([run], (id) => actions.resume(id), `${run.name} could not be resumed`),
    moveInQueue: (run: NamedRun, place: QueueMove) =>
      forEach(
        [run],
        (id) => actions.moveInQueue(id, place),
        `${run.name} could not be moved in the queue`,
      ),
    evaluate,
    remove,
    restore,
    endMany,
    tagMany,
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
