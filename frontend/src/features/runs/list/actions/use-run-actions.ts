"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast";
import { deleteRun, explainAction, keys, restoreRun, startRun, stopRun } from "@/lib/api";
import { plural } from "@/lib/format";

interface Named {
  id: string;
  name: string;
}

/** What can be done to runs from the list. The outcome is told in a message, as the row may be gone. */
export function useRunActions(onDeleted: (ids: readonly string[]) => void) {
  const client = useQueryClient();
  const refresh = () => {
    void client.invalidateQueries({ queryKey: keys.runs });
    void client.invalidateQueries({ queryKey: keys.tags });
  };

  /** Does it to each; answers with those it was done to, and says why it was not done to the others. */
  async function forEach<R extends Named>(
    runs: readonly R[],
    act: (id: string) => Promise<unknown>,
    failed: string,
  ): Promise<R[]> {
    const outcomes = await Promise.allSettled(runs.map(({ id }) => act(id)));
    refresh();
    const broken = outcomes.find((outcome) => outcome.status === "rejected");
    if (broken) {
      toast({ tone: "bad", title: failed, description: explainAction(broken.reason as Error) });
    }
    return runs.filter((_, i) => outcomes[i]?.status === "fulfilled");
  }

  async function restore(runs: readonly Named[]) {
    const back = await forEach(runs, restoreRun, `${what(runs)} could not be restored`);
    if (back.length > 0) toast({ tone: "good", title: `Restored ${what(back)}` });
  }

  async function remove(runs: readonly Named[]) {
    const gone = await forEach(runs, deleteRun, `${what(runs)} could not be deleted`);
    if (gone.length === 0) return;
    onDeleted(gone.map(({ id }) => id));
    const action = { label: "Undo", onAction: () => void restore(gone) };
    toast({ title: `Deleted ${what(gone)}`, action });
  }

  return {
    remove: (runs: readonly Named[]) => void remove(runs),
    start: (run: Named) => void forEach([run], startRun, `${run.name} could not be started`),
    stop: (run: Named) => void forEach([run], stopRun, `${run.name} could not be stopped`),
  };
}

function what(runs: readonly Named[]): string {
  const [first] = runs;
  return runs.length === 1 && first ? `“${first.name}”` : plural(runs.length, "run");
}
