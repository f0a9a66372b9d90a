"use client";

import clsx from "clsx";
import { CircleCheck, Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { useServiceAway } from "@/lib/service";
import { useConnectionState } from "@/stream/provider";

type Said = "lost" | "back" | null;

const BACK_FOR = 4000;

const words = {
  lost: "Connection lost. What is shown stands still; it goes on by itself.",
  back: "Connected again. Nothing was missed.",
};

/** Says when live data stops and when it is back. It floats, so that nothing moves. */
export function ConnectionNotice() {
  const state = useConnectionState();
  const [said, setSaid] = useState<Said>(null);
  if (state === "reconnecting" && said !== "lost") setSaid("lost");
  if (state === "live" && said === "lost") setSaid("back");

  // External system: a timer.
  useEffect(() => {
    if (said !== "back") return;
    const timer = window.setTimeout(() => setSaid(null), BACK_FOR);
    return () => window.clearTimeout(timer);
  }, [said]);

  // The bar of the whole app says so then.
  const away = useServiceAway() !== null;
  const Icon = said === "lost" ? Unplug : CircleCheck;
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 top-16 z-toast flex justify-center"
    >
      {said && !(away && said === "lost") && (
        <p
          className={clsx(
            "flex items-center gap-2 rounded-full border bg-raised px-3.5 py-1.5 text-xs font-medium shadow-float",
            said === "lost" ? "border-warn/40 text-warn" : "border-good/40 text-good",
          )}
        >
          <Icon aria-hidden className="size-3.5 shrink-0" />
          {words[said]}
        </p>
      )}
    </div>
  );
}
