"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useAlgorithmName } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { emptyTrash, removeForGood, trashQuery } from "@/api/runs";
import type { DeletedRun, TrashList } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { bytes, plural } from "@/lib/number";
import { useNow } from "@/lib/time";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/dialog";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";

/** The Trash page: deleted runs can be restored, or removed for good. */
export function Trash() {
  const router = useRouter();
  const now = useNow("minute");
  const { data, error, refetch, isFetching } = useQuery(trashQuery);
  const { restore } = useRunActionsWithToasts(router.push);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [removal, setRemoval] = useState<Removal | null>(null);
  const [restoring, setRestoring] = useState<ReadonlySet<string>>(new Set());

  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <TrashSkeleton />;
  }
  if (data.runs.length === 0) {
    return (
      <EmptyState icon={Trash2} title="The trash is empty">
        A deleted run stays here for some days. Restore it with all its data.
      </EmptyState>
    );
  }

  const chosen = data.runs.filter(({ id }) => picked.has(id));
  const bringBack = async (runs: readonly DeletedRun[]) => {
    setRestoring(new Set(runs.map(({ id }) => id)));
    await restore(runs);
    setRestoring(new Set());
    setPicked(new Set());
  };
  const toggle = (id: string) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  return (
    <>
      <TrashToolbar
        trash={data}
        chosen={chosen}
        busy={restoring.size > 0}
        onPickAll={(all) => setPicked(new Set(all ? data.runs.map(({ id }) => id) : []))}
        onRestore={() => void bringBack(chosen)}
        onRemove={() => setRemoval({ runs: chosen, all: false })}
        onEmpty={() => setRemoval({ runs: data.runs, all: true })}
      />
      <ul
        aria-label="Deleted runs"
        className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface shadow-card max-md:-mx-4 max-md:rounded-none max-md:border-x-0"
      >
        {data.runs.map((run) => (
          <DeletedRunRow
            key={run.id}
            run={run}
            now={now}
            picked={picked.has(run.id)}
            restoring={restoring.has(run.id)}
            onPick={() => toggle(run.id)}
            onRestore={() => void bringBack([run])}
            onRemove={() => setRemoval({ runs: [run], all: false })}
          />
        ))}
      </ul>
      {removal && (
        <RemoveDialog
          removal={removal}
          onClose={() => setRemoval(null)}
          onRemoved={() => setPicked(new Set())}
        />
      )}
    </>
  );
}

function TrashSkeleton() {
  return (
    <div role="status" aria-label="Loading the trash" className="flex flex-col gap-3">
      <Skeleton className="h-8 max-w-80 max-md:h-10" />
      <div className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {Array.from({ length: 6 }, (_, i) => (
          <div key={i} className="flex min-h-12 items-center justify-between gap-6 px-4">
            <Skeleton className="h-4 w-48 max-w-1/2" />
            <Skeleton className="h-4 w-20" />
          </div>
        ))}
      </div>
    </div>
  );
}

interface DeletedRunRowProps {
  run: DeletedRun;
  now: number;
  picked: boolean;
  restoring: boolean;
  onPick: () => void;
  onRestore: () => void;
  onRemove: () => void;
}

function DeletedRunRow(props: DeletedRunRowProps) {
  const { run, now, picked, restoring, onPick, onRestore, onRemove } = props;
  const algorithmName = useAlgorithmName();
  const facts = run.algo ? `${algorithmName(run.algo)} · ${run.env_id}` : "Cannot be read";
  return (
    <li className="flex items-center gap-x-3 gap-y-2 px-4 py-2.5 max-md:flex-wrap">
      <input
        type="checkbox"
        aria-label={`Select ${run.name}`}
        checked={picked}
        onChange={onPick}
        className="size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0 grow basis-40">
        <p className="truncate text-sm font-medium">{run.name}</p>
        <p className="truncate text-xs text-ink-faint">
          {facts} <span className="font-mono text-2xs">· {run.id}</span>
        </p>
      </div>
      <dl className="flex gap-x-5 text-xs text-ink-soft tabular-nums max-md:order-last max-md:w-full max-md:justify-between max-md:pl-7">
        <Fact name="Deleted" title={moment(run.deleted_at)} className="md:w-20">
          {age(run.deleted_at, now)}
        </Fact>
        <Fact name="Removed for good" title={moment(run.removed_at)} className="md:w-28">
          {untilRemoval(run.removed_at, now)}
        </Fact>
        <Fact name="Size" className="md:w-16 md:text-right">
          {bytes(run.size_bytes)}
        </Fact>
      </dl>
      <div className="flex gap-1">
        <Button
          size="sm"
          needsService
          busy={restoring}
          aria-label={`Restore ${run.name}`}
          onClick={onRestore}
          icon={<RotateCcw aria-hidden className="size-3.5" />}
          className="max-md:h-10"
        >
          Restore
        </Button>
        <Button
          size="sm"
          variant="quiet"
          needsService
          aria-label={`Remove ${run.name} for good`}
          onClick={onRemove}
          className="max-md:h-10"
        >
          <Trash2 aria-hidden className="size-3.5" />
        </Button>
      </div>
    </li>
  );
}

interface FactProps {
  name: string;
  title?: string;
  className?: string;
  children: string;
}

function Fact({ name, title, className, children }: FactProps) {
  return (
    <div className={className} title={title}>
      <dt className="text-2xs text-ink-faint">{name}</dt>
      <dd className="whitespace-nowrap">{children}</dd>
    </div>
  );
}

/** The runs to remove for good; `all`: everything in the trash. */
interface Removal {
  runs: readonly DeletedRun[];
  all: boolean;
}

interface RemoveDialogProps {
  removal: Removal;
  onClose: () => void;
  onRemoved: () => void;
}

/** Asks for confirmation, since this cannot be undone. */
function RemoveDialog({ removal: { runs, all }, onClose, onRemoved }: RemoveDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => {
      if (all) return emptyTrash();
      for (const { id } of runs) await removeForGood(id);
    },
    onSuccess: () => {
      onRemoved();
      onClose();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: keys.trash }),
  });
  const [only] = runs;
  const what = runs.length === 1 && only ? `“${only.name}”` : plural(runs.length, "run");
  const room = bytes(runs.reduce((sum, run) => sum + run.size_bytes, 0));
  return (
    <ConfirmDialog
      title={all ? "Empty the trash?" : `Remove ${what} for good?`}
      action={all ? "Empty the trash" : "Remove for good"}
      busy={remove.isPending}
      failure={remove.error && explainAction(remove.error)}
      failureTitle="Not everything was removed"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        {all && `${what} will be removed. `}
        Curves, policies, videos and notes are deleted and cannot be restored. This frees {room} on
        the disk.
      </p>
    </ConfirmDialog>
  );
}

interface TrashToolbarProps {
  trash: TrashList;
  chosen: readonly DeletedRun[];
  busy: boolean;
  onPickAll: (all: boolean) => void;
  onRestore: () => void;
  onRemove: () => void;
  onEmpty: () => void;
}

/** Number and size of the deleted runs, and actions on all or on the selected ones. */
function TrashToolbar(props: TrashToolbarProps) {
  const { trash, chosen, busy, onPickAll, onRestore, onRemove, onEmpty } = props;
  const total = trash.runs.length;
  const some = chosen.length > 0;
  return (
    <div className="mb-3 flex min-h-8 flex-wrap items-center gap-2">
      <label className="flex grow items-center gap-2.5 text-sm text-ink-soft tabular-nums max-md:w-full md:pl-4">
        <input
          type="checkbox"
          aria-label={some ? "Clear the selection" : `Select ${plural(total, "run")}`}
          checked={chosen.length === total}
          ref={(box) => {
            if (box) box.indeterminate = some && chosen.length < total;
          }}
          onChange={() => onPickAll(!some)}
          className="size-4 accent-accent"
        />
        <span role="status">
          {some ? `${plural(chosen.length, "run")} selected` : plural(total, "deleted run")} ·{" "}
          {bytes(some ? chosen.reduce((sum, run) => sum + run.size_bytes, 0) : trash.total_bytes)}
        </span>
      </label>
      {some ? (
        <>
          <Button
            needsService
            busy={busy}
            onClick={onRestore}
            icon={<RotateCcw aria-hidden className="size-3.5" />}
          >
            Restore
          </Button>
          <Button
            variant="danger"
            needsService
            onClick={onRemove}
            icon={<Trash2 aria-hidden className="size-3.5" />}
          >
            Remove for good…
          </Button>
        </>
      ) : (
        <Button
          variant="danger"
          needsService
          onClick={onEmpty}
          icon={<Trash2 aria-hidden className="size-3.5" />}
        >
          Empty the trash…
        </Button>
      )}
    </div>
  );
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When a deleted run will be removed for good: `in 6 days`, `in 5 hours`, `within the hour`. */
export function untilRemoval(at: string, now: number): string {
  const left = Date.parse(at) - now;
  if (left < HOUR) return "within the hour";
  if (left < 2 * DAY) return `in ${count(left / HOUR, "hour")}`;
  return `in ${count(left / DAY, "day")}`;
}

/** Rounded down, so that a run is not removed before the time that was shown. */
function count(value: number, unit: string): string {
  const whole = Math.floor(value);
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`;
}
