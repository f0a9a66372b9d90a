"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { verificationQuery, verifySteps } from "@/api/steps";
import type { Evaluation } from "@/api/types";
import { Button } from "@/ui/button";
import { verificationText } from "./verification-text";

/** Has the episodes played again and compared, and says what came of it. */
export function VerifyButton({ evaluation: { run_id: run, id } }: { evaluation: Evaluation }) {
  const client = useQueryClient();
  const { data: found } = useQuery(verificationQuery(run, id));
  const request = useMutation({
    mutationFn: () => verifySteps(run, id),
    onSuccess: (asked) => client.setQueryData(keys.verification(run, id), asked),
  });
  const busy = request.isPending || found?.status === "running";
  const good = found?.identical === true;
  return (
    <>
      <p
        role="status"
        className={`flex items-center gap-1.5 text-xs ${good ? "text-good" : found && !busy ? "text-bad" : "text-ink-soft"}`}
      >
        {found &&
          !busy &&
          (good ? (
            <ShieldCheck aria-hidden className="size-3.5" />
          ) : (
            <ShieldAlert aria-hidden className="size-3.5" />
          ))}
        {request.error ? explainAction(request.error) : found ? verificationText(found) : null}
      </p>
      <Button
        size="sm"
        needsService
        busy={busy}
        title="Play the episodes again and compare every record"
        onClick={() => request.mutate()}
      >
        Verify
      </Button>
    </>
  );
}
