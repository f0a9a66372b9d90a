"use client";

import { ShieldQuestion } from "lucide-react";
import { useState } from "react";
import type { RunDetail } from "@/api/types";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import { TrustDialog } from "./trust-dialog";

/** That a run came from elsewhere and is not used before it is trusted, with the way to trust it. */
export function TrustNotice({ run }: { run: RunDetail }) {
  const [asks, setAsks] = useState(false);
  // Of a program's own run there is nothing that the app would use.
  if (run.standing !== "untrusted" || run.actor === "foreign") return null;
  return (
    <Notice tone="info" icon={ShieldQuestion} title="This run was made elsewhere">
      <p className="text-ink-soft">
        You can look at everything in it. Its policies and snapshots are not used, and nothing in it
        runs, until you trust it.
      </p>
      <Button
        size="sm"
        variant="quiet"
        className="mt-1 -ml-2"
        needsService
        onClick={() => setAsks(true)}
      >
        Trust this run…
      </Button>
      {asks && <TrustDialog run={run} onClose={() => setAsks(false)} />}
    </Notice>
  );
}
