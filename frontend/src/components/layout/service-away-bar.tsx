"use client";

import { Unplug } from "lucide-react";
import { useEffect } from "react";
import { clockTime } from "@/lib/format-time";
import { useServiceAway } from "@/lib/service";
import { dismissForService } from "@/ui/toast";

/** A bar on every page that says since when the service has not responded, and what to do. */
export function ServiceAwayBar() {
  const since = useServiceAway();

  // External system: an attribute of the document, with which styles stop the animations of things
  // at work.
  useEffect(() => {
    if (since === null) return;
    document.documentElement.dataset.service = "away";
    return () => {
      delete document.documentElement.dataset.service;
      dismissForService();
    };
  }, [since]);

  if (since === null) return null;
  return (
    <div role="alert">
      <div className="flex items-start gap-2.5 border-b border-line-strong bg-bad-tint px-4 py-2 text-sm text-bad">
        <Unplug aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p>
          <b className="font-semibold">
            The service has not answered since{" "}
            <time dateTime={new Date(since).toISOString()} className="tabular-nums">
              {clockTime(new Date(since).toISOString())}
            </time>
            .
          </b>{" "}
          What you see is from then, and nothing can be changed. Check that the app still runs in
          its terminal, and start it again if it does not; this page goes on by itself.
        </p>
      </div>
    </div>
  );
}
