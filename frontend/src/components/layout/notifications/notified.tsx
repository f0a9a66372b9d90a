"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { withRetry } from "@/api/with-retry";
import { routes } from "@/lib/routes";
import { useEventStream } from "@/stream/provider";

const loadShow = withRetry(() => import("./show"));

/** Shows what the service has to tell, on every page. The code that does is loaded with the first of it. */
export function Notified() {
  const stream = useEventStream();
  const router = useRouter();
  // External system: the event stream.
  useEffect(
    () =>
      stream.onEvent((event) => {
        if (event.kind !== "notification") return;
        const { notification } = event;
        const { run_id: run, experiment_id: experiment } = notification;
        const address = run ? routes.run(run) : experiment ? routes.experiment(experiment) : null;
        const open = () => address && router.push(address);
        void loadShow().then(({ show }) => show(notification, open));
      }),
    [stream, router],
  );
  return null;
}
