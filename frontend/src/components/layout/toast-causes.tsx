"use client";

import { useEffect } from "react";
import { dismissForRun } from "@/components/ui/toast";
import { useEventStream } from "@/lib/stream/connection/provider";

/** Takes messages away when the run that they are about has another status. */
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
