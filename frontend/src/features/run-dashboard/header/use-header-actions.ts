"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { usualPolicy } from "@/api/evaluate";
import { useRunActions } from "@/api/run-actions";
import type { Run, RunStatus } from "@/api/types";
import { chooseAgentView } from "@/lib/agent-view";
import { routes } from "@/lib/routes";
import { useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";
import { AGENT_ANCHOR } from "../agent-anchor";

/**
 * Deletes a run and goes to the list; a message there offers to bring it back. Belongs to the page: the run's own
 * parts go before it has left. Resolves to whether the run is gone.
 */
export function useDeleteRun() {
  const router = useRouter();
  const { remove } = useRunActionsWithToasts(router.push);
  return useMutation<boolean, Error, Run>({
    mutationFn: async (run) => {
      const gone = (await remove([run])).length > 0;
      if (gone) router.push(routes.home);
      return gone;
    },
  });
}

export type DeleteRun = ReturnType<typeof useDeleteRun>;

/** Every action is asked under a status; its error is over when the run has another. */
export function useHeaderActions(run: Run) {
  const { id, status } = run;
  const actions = useRunActions();
  const start = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.start(id) });
  const stop = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.stop(id) });
  const pause = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.pause(id) });
  const resume = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.resume(id) });
  const watch = useMutation<unknown, Error, RunStatus>({
    mutationFn: () => actions.evaluate(id, { policy: usualPolicy(run) }),
    onMutate: () => {
      chooseAgentView("evaluation");
      document.getElementById(AGENT_ANCHOR)?.scrollIntoView({ block: "nearest" });
    },
  });
  const all = [start, pause, resume, stop, watch];
  const latest = all.reduce((a, b) => (b.submittedAt > a.submittedAt ? b : a));
  return {
    start,
    pause,
    resume,
    stop,
    watch,
    error: latest.variables === status ? latest.error : null,
  };
}
