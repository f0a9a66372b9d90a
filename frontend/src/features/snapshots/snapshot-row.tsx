"use client";

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
import { whyLookedAtOnly } from "@/api/run-availability";
import type { RunDetail, SnapshotInfo } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { bytes, count } from "@/lib/number";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { useNow } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { type SnapshotAction, whyNotWith } from "./snapshot-rule";
import { called, TAKEN } from "./snapshot-text";
import { useVerification, Verified } from "./verified";

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
            {behind && <Badge>left behind</Badge>}
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
