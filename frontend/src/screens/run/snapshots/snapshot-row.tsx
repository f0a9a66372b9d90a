"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import {
  Bookmark,
  GitFork,
  History,
  MoreHorizontal,
  Play,
  ShieldCheck,
  Trash2,
} from "lucide-react";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { useRunActions } from "@/api/run-actions";
import { whyLookedAtOnly } from "@/api/run-availability";
import {
  deleteSnapshot,
  snapshotVerificationQuery,
  takeSnapshot,
  verifySnapshot,
} from "@/api/snapshots";
import type { CreateSnapshot, RunDetail, SnapshotInfo, SnapshotVerification } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { bytes, count } from "@/lib/number";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { useNow } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import {
  called,
  type ConfirmedAction,
  type SnapshotAction,
  TAKEN,
  whyNotWith,
} from "./snapshot-text";

interface SnapshotRowProps {
  run: RunDetail;
  snapshot: SnapshotInfo;
  /** Whether the run resumes from it unless another is named. */
  isNewest: boolean;
  onAct: (action: SnapshotAction) => void;
}

export function SnapshotRow({ run, snapshot, isNewest, onAct }: SnapshotRowProps) {
  const now = useNow("minute");
  const { name, message, is_named, step, trigger, time, behind, whole, exact, inherited } =
    snapshot;
  const verification = useVerification(run.id, snapshot);
  const problem = snapshot.problem ?? (exact ? null : snapshot.not_exact_because);
  return (
    <li className="flex items-start gap-x-3 py-1.5 text-xs">
      <div
        className={clsx(
          "grid min-w-0 grow grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 py-1 sm:grid-cols-[6rem_minmax(0,1fr)_5.5rem_4.5rem]",
          behind && "text-ink-faint",
        )}
      >
        <span className="font-mono tabular-nums">{count(step)}</span>
        <span className="min-w-0 max-sm:order-last max-sm:col-span-2">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            {is_named && <span className="font-medium break-all">{name}</span>}
            <span className={is_named ? "text-ink-faint" : "text-ink-soft"}>{TAKEN[trigger]}</span>
            {isNewest && <Badge>newest</Badge>}
            {behind && <Badge>discarded</Badge>}
            {inherited && <Badge>inherited</Badge>}
            {!whole && !inherited && <Badge tone="bad">damaged</Badge>}
            {whole && !exact && <Badge tone="warn">not exact</Badge>}
          </span>
          {message && <span className="block break-words text-ink-soft">{message}</span>}
          {problem && <span className="block break-words text-ink-soft">{problem}</span>}
          <Verified {...verification} />
        </span>
        <time
          dateTime={time}
          title={moment(time)}
          className="text-ink-faint tabular-nums max-sm:hidden sm:text-right"
        >
          {age(time, now)}
        </time>
        <span className="text-right text-ink-soft tabular-nums" title={sizeText(snapshot)}>
          <span className="text-ink-faint sm:hidden">{age(time, now)} · </span>
          {bytes(snapshot.bytes + snapshot.replay_bytes)}
        </span>
      </div>
      <RowMenu
        run={run}
        snapshot={snapshot}
        onAct={onAct}
        onVerify={verification.busy ? null : verification.verify}
      />
    </li>
  );
}

function sizeText({ bytes: file, replay_bytes: replay }: SnapshotInfo): string | undefined {
  if (replay === 0) return undefined;
  return `${bytes(file)}, and ${bytes(replay)} of the replay buffer, which others may share`;
}

interface RowMenuProps extends Omit<SnapshotRowProps, "isNewest"> {
  /** Null while it is being verified. */
  onVerify: (() => void) | null;
}

function RowMenu({ run, snapshot, onAct, onVerify }: RowMenuProps) {
  const away = useServiceAway() === null ? null : SERVICE_AWAY;
  const reason = (action: SnapshotAction) => whyNotWith(action, run, snapshot) ?? away;
  return (
    <Menu
      trigger={
        <Button
          size="sm"
          variant="quiet"
          aria-label={`Actions on the snapshot ${called(snapshot)}`}
          icon={<MoreHorizontal aria-hidden className="size-4" />}
          className="max-md:size-10"
        />
      }
    >
      <MenuItem icon={<Play />} reason={reason("resume")} onSelect={() => onAct("resume")}>
        Resume from here…
      </MenuItem>
      <MenuItem icon={<History />} reason={reason("rollback")} onSelect={() => onAct("rollback")}>
        Roll back to here…
      </MenuItem>
      <MenuItem icon={<GitFork />} reason={reason("fork")} onSelect={() => onAct("fork")}>
        Fork here…
      </MenuItem>
      <MenuItem icon={<Bookmark />} reason={reason("keep")} onSelect={() => onAct("keep")}>
        {snapshot.is_named ? "Rename…" : "Keep…"}
      </MenuItem>
      <MenuItem
        icon={<ShieldCheck />}
        reason={whyLookedAtOnly(run) ?? (onVerify ? away : "It is being verified.")}
        onSelect={() => onVerify?.()}
      >
        Verify
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger reason={reason("delete")} onSelect={() => onAct("delete")}>
        Delete…
      </MenuItem>
    </Menu>
  );
}

interface VerificationState {
  found: SnapshotVerification | null;
  busy: boolean;
  error: Error | null;
}

/** The newest verification of a snapshot: one that this page requested, or an earlier one. */
function useVerification(run: string, { name, verification: earlier }: SnapshotInfo) {
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

/** The result of a verification, in one line. */
function Verified({ found, busy, error }: VerificationState) {
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
  if (!identical) return `The file differs. ${first ?? ""}`.trim();
  const same = `Verified: ${parts.map(partText).join(", ")} are identical.`;
  return exact ? same : [same, "Training does not continue exactly.", ...reasons].join(" ");
}

function partText({ name }: { name: string }): string {
  return name === "replay" ? "replay buffer" : name;
}

/** Runs an action on a snapshot, and reloads the list: a refusal may be due to changes that the page does not know. */
export function useSnapshotAction(run: string, action: ConfirmedAction, snapshot: string) {
  const { resume, rollBack } = useRunActions();
  const refresh = useRefresh(run);
  const act = {
    resume: () => resume(run, { snapshot }),
    rollback: () => rollBack(run, snapshot),
    delete: () => deleteSnapshot(run, snapshot),
  }[action];
  return useMutation<unknown>({ mutationFn: act, onSettled: refresh });
}

/** Asks for a snapshot, which is taken at the start of the next rollout. */
export function useTakeSnapshot(run: string) {
  return useMutation<unknown, Error, CreateSnapshot>({
    mutationFn: (wanted) => takeSnapshot(run, wanted),
    onSettled: useRefresh(run),
  });
}

function useRefresh(run: string) {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: keys.snapshots(run) });
}
