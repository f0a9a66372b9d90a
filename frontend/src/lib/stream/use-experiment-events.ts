"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { browserTimers } from "../time";
import { useEventStream } from "./connection/provider";
import { askAgain, experimentBridge } from "./experiment-bridge";

/** Keeps what is known of experiments true while the component is shown. */
export function useExperimentEvents(): void {
  const client = useQueryClient();
  const stream = useEventStream();

  // External system: the event stream, which nobody followed for experiments until now.
  useEffect(() => {
    askAgain(client);
    return stream.onEvent(experimentBridge(client, browserTimers));
  }, [client, stream]);
}
