"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useAlgorithmName } from "@/api/choices";
import { explainAction } from "@/api/http";
import { isPruning, measureStorage, pruneStorage, storageQuery } from "@/api/storage";
import type { Storage as StorageData, StorageAction } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { bytes, count, percent, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useNow } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card, Stat } from "@/ui/card";
import { ConfirmDialog } from "@/ui/dialog";
import { HoverLink } from "@/ui/hover-link";
import { ErrorState, Notice } from "@/ui/notice";
import { Progress, Skeleton } from "@/ui/progress";
import { RulesCard, useStorageAnswer } from "./rules-card";

/** The Storage page: what takes space, and the rules that free it. */
export function Storage() {
  const { data, error, refetch, isFetching } = useQuery(storageQuery);
  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <StorageSkeleton />;
  }
  return (
    <div className="flex flex-col gap-4">
      {data.rules_problem && (
        <Notice tone="bad" role="alert" title="No rule applies">
          <p className="break-words">{data.rules_problem}</p>
        </Notice>
      )}
      {data.warnings.length > 0 && (
        <Notice tone="warn" title="Space is running out">
          <ul>
            {data.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Overview storage={data} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <KindsCard storage={data} />
        <RunsCard storage={data} />
      </div>
      <RulesCard storage={data} />
      <PassCard storage={data} />
      <LogCard storage={data} />
    </div>
  );
}

function Overview({ storage }: { storage: StorageData }) {
  const now = useNow("minute");
  const show = useStorageAnswer();
  const measure = useMutation({
    mutationFn: measureStorage,
    onSuccess: show,
  });
  const { measured_at: at, max_bytes: most } = storage;
  return (
    <Card
      title="The runs folder"
      aside={
        <Button
          size="sm"
          needsService
          busy={storage.measuring || measure.isPending}
          onClick={() => measure.mutate()}
          icon={<RefreshCw aria-hidden className="size-3.5" />}
        >
          Measure
        </Button>
      }
    >
      <dl className="grid grid-cols-2 gap-4 md:grid-cols-4">
        <Stat
          label="Total"
          note={most === null ? "No limit is set" : `of ${bytes(most)} (RLVIZ_MAX_BYTES)`}
        >
          {at ? bytes(storage.total_bytes) : "Measuring…"}
        </Stat>
        <Stat label="Free disk space" note={`of ${bytes(storage.disk_bytes)}`}>
          {bytes(storage.free_bytes)}
        </Stat>
        <Stat label="Runs">{at ? count(storage.run_count) : "–"}</Stat>
        <Stat label="Measured" note={storage.measuring ? "Measuring again…" : undefined}>
          {at ? age(at, now) : "–"}
        </Stat>
      </dl>
    </Card>
  );
}

function StorageSkeleton() {
  return (
    <div role="status" aria-label="Loading storage" className="flex flex-col gap-4">
      <Card title="The runs folder" bodyClass="grid grid-cols-2 gap-4 p-4 md:grid-cols-4">
        {Array.from({ length: 4 }, (_, i) => (
          <Skeleton key={i} className="h-10 max-w-32" />
        ))}
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {["By kind", "By run"].map((title) => (
          <Card key={title} title={title} bodyClass="flex flex-col gap-4 p-4">
            {Array.from({ length: 5 }, (_, i) => (
              <Skeleton key={i} className="h-6" />
            ))}
          </Card>
        ))}
      </div>
    </div>
  );
}

const WARN = 0.8;

/** Size of each kind of file, as a share of its quota if it has one, otherwise of the total. */
function KindsCard({ storage }: { storage: StorageData }) {
  const found = storage.kinds.filter(({ files, quota }) => files > 0 || quota !== null);
  return (
    <Card title="By kind" bodyClass="">
      <ul className="divide-y divide-line">
        {found.map(({ kind, words, bytes: size, files, quota }) => {
          const share = size / Math.max(1, quota ?? storage.total_bytes);
          return (
            <li key={kind} className="px-4 py-2.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                <span className="min-w-0 truncate">{words}</span>
                <span className="shrink-0 font-medium tabular-nums">{bytes(size)}</span>
              </div>
              <Progress
                share={share}
                live={quota !== null}
                label={words}
                valueText={`${bytes(size)}${quota === null ? "" : ` of ${bytes(quota)}`}`}
                className="my-1.5"
              />
              <p className="flex items-center justify-between gap-3 text-xs text-ink-faint tabular-nums">
                {plural(files, "file")}
                {quota !== null && (
                  <Badge tone={share >= 1 ? "bad" : share >= WARN ? "warn" : "rest"}>
                    {percent(share)} of {bytes(quota)}
                  </Badge>
                )}
              </p>
            </li>
          );
        })}
      </ul>
      {found.length === 0 && <p className="p-4 text-sm text-ink-soft">Nothing was measured yet.</p>}
    </Card>
  );
}

/** What rules have done, the newest first. */
function LogCard({ storage }: { storage: StorageData }) {
  return (
    <Card title="Log" bodyClass="p-4">
      {storage.log.length > 0 ? (
        <ActionList actions={storage.log} when={(action) => moment(action.time)} />
      ) : (
        <p className="text-sm text-ink-soft">No rule has run yet.</p>
      )}
    </Card>
  );
}

/** Previews the effects of the rules, and applies them. */
function PassCard({ storage }: { storage: StorageData }) {
  const show = useStorageAnswer();
  const [asking, setAsking] = useState(false);
  const prune = useMutation({
    mutationFn: pruneStorage,
    onSuccess: show,
    onSettled: () => setAsking(false),
  });
  const { pruning } = storage;
  const busy = isPruning(storage) || prune.isPending;
  if (storage.rules.length === 0 && !pruning) return null;
  return (
    <Card
      title="What the rules do"
      aside={
        <span className="flex gap-2">
          <Button size="sm" needsService busy={busy} onClick={() => prune.mutate(true)}>
            Preview
          </Button>
          <Button
            size="sm"
            variant="danger"
            needsService
            busy={busy}
            unavailable={storage.rules.length === 0 && "There is no rule."}
            onClick={() => setAsking(true)}
          >
            Apply now…
          </Button>
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      <p role="status" className="text-sm text-ink-soft">
        {pruning ? summary(storage) : "No preview since the service started."}
      </p>
      {(pruning?.error_message || prune.error) && (
        <Notice tone="bad" role="alert" title="The rules did not finish">
          <p>{prune.error ? explainAction(prune.error) : pruning?.error_message}</p>
        </Notice>
      )}
      {pruning && pruning.actions.length > 0 && <ActionList actions={pruning.actions} />}
      {asking && (
        <ConfirmDialog
          title="Apply the rules now?"
          action="Apply them"
          busy={prune.isPending}
          onConfirm={() => prune.mutate(false)}
          onClose={() => setAsking(false)}
        >
          <p>
            Deleted files cannot be restored. <em>Preview</em> shows what would be deleted.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function summary({ pruning }: StorageData): string {
  if (!pruning) return "";
  const { dry_run, ended_at, done, bytes: room } = pruning;
  if (!ended_at)
    return `${dry_run ? "Checking" : "Applying the rules"}: ${plural(done, "action")} so far.`;
  if (done === 0) return dry_run ? "Nothing to delete." : "Nothing was deleted.";
  const what = plural(done, "action");
  return dry_run
    ? `The rules would take ${what} and free ${bytes(room)}, and more by compression.`
    : `The rules took ${what} and freed ${bytes(room)}.`;
}

/** The largest runs, with their largest kind of file. */
function RunsCard({ storage }: { storage: StorageData }) {
  const algorithmName = useAlgorithmName();
  const words = new Map(storage.kinds.map((kind) => [kind.kind, kind.words]));
  const largest = Math.max(1, ...storage.runs.map((run) => run.bytes));
  const shown = storage.runs.length;
  const title =
    shown < storage.run_count
      ? `Largest ${shown} of ${plural(storage.run_count, "run")}`
      : "By run";
  return (
    <Card title={title} bodyClass="max-h-128 overflow-y-auto">
      <ul className="divide-y divide-line">
        {storage.runs.map((run) => {
          const [most] = Object.entries(run.kinds);
          return (
            <li key={run.id} className="px-4 py-2.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                {run.status === null ? (
                  <span className="min-w-0 truncate font-mono text-xs">{run.id}</span>
                ) : (
                  <HoverLink
                    href={routes.run(run.id)}
                    className="min-w-0 truncate font-medium text-accent hover:underline"
                  >
                    {run.name}
                  </HoverLink>
                )}
                <span className="shrink-0 font-medium tabular-nums">{bytes(run.bytes)}</span>
              </div>
              <Progress
                share={run.bytes / largest}
                live={false}
                label={run.name}
                valueText={bytes(run.bytes)}
                className="my-1.5"
              />
              <p className="truncate text-xs text-ink-faint tabular-nums">
                {run.algo
                  ? `${algorithmName(run.algo)} · ${run.env_id}`
                  : "Not in the list of runs"}
                {most && ` · ${words.get(most[0] as never)} ${bytes(most[1])}`}
              </p>
            </li>
          );
        })}
      </ul>
      {shown === 0 && <p className="p-4 text-sm text-ink-soft">There is no run yet.</p>}
    </Card>
  );
}

interface ActionListProps<D extends StorageAction> {
  actions: readonly D[];
  /** Placed before the run: when it was done. */
  when?: (action: D) => ReactNode;
}

/** What was, or would be, done to which run, by which rule. */
function ActionList<D extends StorageAction>({ actions, when }: ActionListProps<D>) {
  return (
    <ul className="max-h-96 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm">
      {actions.map((action, place) => (
        <li key={`${place} ${action.run_id}`} className="px-3 py-2" title={action.rule}>
          <div className="flex flex-wrap items-baseline gap-x-3">
            {when && <span className="text-xs text-ink-faint tabular-nums">{when(action)}</span>}
            <HoverLink
              href={routes.run(action.run_id)}
              className="min-w-0 truncate font-mono text-xs text-accent hover:underline"
            >
              {action.run_id}
            </HoverLink>
            <span className="ml-auto text-xs tabular-nums">
              {action.bytes > 0 && bytes(action.bytes)}
            </span>
          </div>
          <p className="text-xs break-words text-ink-soft">{action.what}</p>
          {action.problem && <p className="text-xs break-words text-bad">{action.problem}</p>}
        </li>
      ))}
    </ul>
  );
}
