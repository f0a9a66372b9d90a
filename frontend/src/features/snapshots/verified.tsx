"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { snapshotVerificationQuery, verifySnapshot } from "@/api/snapshots";
import type { SnapshotInfo, SnapshotVerification } from "@/api/types";

interface VerificationState {
  found: SnapshotVerification | null;
  busy: boolean;
  error: Error | null;
}

/** The newest verification of a snapshot: one that this page has asked for, or an earlier one. */
export function useVerification(run: string, { name, verification: earlier }: SnapshotInfo) {
  const client = useQueryClient();
  const request = useMutation({
    mutationFn: () => verifySnapshot(run, name),
    onSuccess: (asked) => client.setQueryData(keys.snapshotVerification(run, name), asked),
  });
  const { data, error } = useQuery({
    ...snapshotVerificationQuery(run, name),
    enabled: request.isSuccess || earlier?.status === "running",
  });
  const found = data ?? earlier;
  const busy = request.isPending || found?.status === "running";
  return { found, busy, error: request.error ?? error, verify: () => request.mutate() };
}

/** What came of it, in a line. */
export function Verified({ found, busy, error }: VerificationState) {
  if (!busy && !error && !found) return null;
  const good = !busy && !error && found?.identical === true;
  return (
    <span
      role="status"
      className={`block break-words ${good ? "text-good" : busy ? "text-ink-soft" : "text-bad"}`}
    >
      {busy ? "Verifying…" : error ? explainAction(error) : found && verifiedText(found)}
    </span>
  );
}

export function verifiedText(found: SnapshotVerification): string {
  const { identical, parts = [], exact, reasons = [], cause, first_difference: first } = found;
  if (cause) return cause;
  if (!identical) return `Not what the file holds. ${first ?? ""}`.trim();
  const same = `Verified: ${parts.map(partText).join(", ")} are identical.`;
  return exact ? same : [same, "Training does not go on exactly.", ...reasons].join(" ");
}

function partText({ name }: { name: string }): string {
  return name === "replay" ? "replay buffer" : name;
}
