"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import type { RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { Disclosure } from "@/ui/disclosure";
import { Skeleton } from "@/ui/progress";

const AnatomyPanel = dynamic(
  withRetry(() => import("./anatomy-panel").then((module) => module.AnatomyPanel)),
  {
    loading: () => <Skeleton className="h-40" />,
  },
);

/** The anatomy of updates, loaded when the section is opened. */
export function AnatomySection({ run }: { run: RunDetail }) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure
      open={open}
      onToggle={setOpen}
      summary="Inside the updates"
      className="rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      {open && (
        <div className="pt-2 pb-2.5">
          <AnatomyPanel run={run} />
        </div>
      )}
    </Disclosure>
  );
}
