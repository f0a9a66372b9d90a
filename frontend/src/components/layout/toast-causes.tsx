"use client";

import { useEffect } from "react";
import { useEventStream } from "@/stream/provider";
import { dismissForRun } from "@/ui/toast";

/** Dismisses messages about a run when its status changes. */
export function ToastCauses() {
  const stream = useEventStream();
  // External system: the event stream.
  useEffect(
    () =>
      stream.onEvent((event) => {
        if (event.kind === "status") dismissForRun(event.run.id, event.run.status);
        if (event.kind === "end") dismissForRun(event.end.run_id, event.end.status);
      }),
    [stream],
  );
  return null;
}
