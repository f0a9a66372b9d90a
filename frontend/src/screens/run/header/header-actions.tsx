"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import {
  Clapperboard,
  Compass,
  Copy,
  Download,
  FileJson,
  FileText,
  GitCompareArrows,
  GitFork,
  MonitorPlay,
  MoreHorizontal,
  Pause,
  Play,
  Square,
  Trash2,
  Upload,
} from "lucide-react";
import clsx from "clsx";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useAlgorithmName } from "@/api/choices";
import { usualPolicy, whyNotYet } from "@/api/evaluate";
import { evaluationsQuery } from "@/api/evaluations";
import { explores } from "@/api/exploration";
import { explainAction } from "@/api/http";
import { useRunActions } from "@/api/run-actions";
import { canDo, isOffered, learns, suits, whyNot } from "@/api/run-availability";
import { artifactLink, runLink } from "@/api/run-files";
import { hasEnded, isActive, runSearchQuery } from "@/api/runs";
import { snapshotsQuery } from "@/api/snapshots";
import type { Run, RunDetail, RunSnapshots, RunStatus, SnapshotInfo } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { chooseAgentView } from "@/lib/agent-view";
import { follow } from "@/lib/download";
import { age, duration } from "@/lib/format-time";
import { shortEnvironment } from "@/lib/number";
import { routes } from "@/lib/routes";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { useNow } from "@/lib/time";
import { ExportItems } from "@/screens/shared/export-runs";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { OptionList } from "@/ui/combobox-options";
import { Dialog } from "@/ui/dialog";
import { HoverLink } from "@/ui/hover-link";
import { Menu, MenuItem, MenuSeparator, MenuSub } from "@/ui/menu";
import { Popover } from "@/ui/popover";
import { Skeleton } from "@/ui/progress";
import { useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";
import { ForkAt } from "../snapshots/fork-at";
import { whyNotForkAtStep } from "../snapshots/snapshot-text";
import { AGENT_ANCHOR, openTab, scrollToAnchor } from "../tabs/tab-address";
import { TrainLonger } from "./train-longer";

/** On a phone the actions share one line. */
const shared = "max-sm:min-w-0 max-sm:grow max-sm:px-2!";

/** Duration of an update in seconds from which the page says how long a stop may take. */
const WORTH_SAYING = 2;

const NOTHING_KEPT =
  "It ended before a snapshot was taken, so it cannot be resumed. Train again with these settings.";

const SinksPanel = dynamic(
  withRetry(() => import("../sinks/sinks-panel").then((module) => module.SinksPanel)),
  { loading: () => <Skeleton className="m-4 h-40" /> },
);

const ReportDialog = dynamic(
  withRetry(() => import("./report-dialog").then((module) => module.ReportDialog)),
  { ssr: false },
);

interface HeaderActionsProps {
  run: RunDetail;
  remove: DeleteRun;
}

export function HeaderActions({ run, remove }: HeaderActionsProps) {
  const { start, pause, resume, stop, watch, error } = useHeaderActions(run);
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const stopping = run.status === "stopping" || stop.isPending;
  const pausing = run.status === "pausing" || pause.isPending;
  const mayResume = isOffered("resume", run);
  const { data: kept } = useQuery({ ...snapshotsQuery(run.id), enabled: mayResume });
  // A fork goes on from where it left its parent.
  const nothingKept = kept?.newest === null && run.parent === null;
  const whyNotResumed = whyNot("resume", run) ?? (nothingKept ? NOTHING_KEPT : null);
  const mayWatch =
    learns(run) &&
    hasEnded(run) &&
    whyNotYet(run) === null &&
    !(mayResume && whyNotResumed === null);
  const newest = evaluations?.[0]?.status;
  const evaluating = watch.isPending || newest === "queued" || newest === "running";
  return (
    <div className="flex flex-col gap-1.5 max-sm:w-full sm:items-end">
      <div className="flex flex-wrap items-center gap-2">
        <CompareWith run={run} />
        {isOffered("evaluate", run) && (
          <Button
            needsService
            {...unless(whyNot("evaluate", run))}
            onClick={() => watch.mutate(run.status)}
            busy={evaluating}
            className={shared}
            icon={<Clapperboard aria-hidden className="size-3.5" />}
          >
            {evaluating ? "Evaluating…" : "Evaluate"}
          </Button>
        )}
        {(canDo("stop", run) || stopping) && (
          <Button
            needsService
            onClick={() => stop.mutate(run.status)}
            busy={stopping}
            className={shared}
            icon={<Square aria-hidden className="size-3 fill-current" />}
          >
            {stopping ? "Stopping…" : "Stop"}
          </Button>
        )}
        {isOffered("extend", run) && <TrainLonger run={run} className={shared} />}
        {(canDo("pause", run) || pausing) && (
          <Button
            needsService
            variant="primary"
            onClick={() => pause.mutate(run.status)}
            busy={pausing}
            className={shared}
            icon={<Pause aria-hidden className="size-3 fill-current" />}
          >
            {pausing ? "Pausing…" : "Pause"}
          </Button>
        )}
        {isOffered("start", run) && (
          <Button
            needsService
            {...unless(whyNot("start", run))}
            variant="primary"
            onClick={() => start.mutate(run.status)}
            busy={start.isPending}
            className={shared}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Start
          </Button>
        )}
        {mayResume && (
          <Button
            needsService
            {...unless(whyNotResumed)}
            variant={whyNotResumed === null ? "primary" : "secondary"}
            onClick={() => resume.mutate(run.status)}
            busy={resume.isPending}
            // Five buttons do not fit beside each other on a phone, and the notice says why it cannot be resumed.
            className={clsx(shared, mayWatch && "max-sm:hidden")}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Resume
          </Button>
        )}
        {mayWatch && (
          <Button
            variant="primary"
            onClick={watchAgent}
            className={shared}
            icon={<MonitorPlay aria-hidden className="size-3.5" />}
          >
            Watch
          </Button>
        )}
        <RunMenu run={run} remove={remove} />
      </div>
      {stopping && run.update_seconds !== null && run.update_seconds >= WORTH_SAYING && (
        <p role="status" className="max-w-md text-xs text-ink-soft">
          An update may be under way: stopping takes up to{" "}
          {duration(Math.ceil(run.update_seconds) * 1000)}.
        </p>
      )}
      {error && (
        <p role="alert" className="max-w-md text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
    </div>
  );
}

/** Shows the agent at play. */
function watchAgent() {
  openTab("overview");
  chooseAgentView("live");
  scrollToAnchor(AGENT_ANCHOR);
}

/** A disabled button with a reason. */
function unless(reason: string | null) {
  return reason === null ? {} : { disabled: true, title: reason };
}

/** What is done with a run now and then. */
interface RunMenuProps {
  run: RunDetail;
  remove: DeleteRun;
}

function RunMenu({ run, remove }: RunMenuProps) {
  const [exports, setExports] = useState(false);
  const [forks, setForks] = useState(false);
  const [reports, setReports] = useState(false);
  const { data: kept } = useQuery({ ...snapshotsQuery(run.id), enabled: forks });
  const router = useRouter();
  const away = useServiceAway() === null ? null : SERVICE_AWAY;
  const save = (path: string) => follow(artifactLink(run.id, path), `${run.id}-${path}`);
  return (
    <>
      <Menu
        trigger={
          <Button
            aria-label="More actions"
            busy={remove.isPending || remove.data === true}
            icon={<MoreHorizontal aria-hidden className="size-4" />}
            className="px-2.5!"
          />
        }
      >
        {suits("fork", run) && (
          <MenuItem
            icon={<GitFork />}
            reason={whyNotForkAtStep(run) ?? away}
            onSelect={() => setForks(true)}
          >
            Fork…
          </MenuItem>
        )}
        {suits("duplicate", run) && (
          <>
            <MenuItem icon={<Copy />} onSelect={() => router.push(routes.duplicate(run.id))}>
              Duplicate…
            </MenuItem>
            {explores(run.config?.exploration) && (
              <MenuItem
                icon={<Compass />}
                onSelect={() => router.push(routes.compareExploration(run.id))}
              >
                Compare with and without exploration…
              </MenuItem>
            )}
            <MenuSeparator />
          </>
        )}
        <MenuSub icon={<Download />} label="Download">
          {learns(run) && (
            <MenuItem
              icon={<Download />}
              disabled={run.policy_step === null || run.status === "paused" || isActive(run)}
              onSelect={() => save("model.zip")}
            >
              Model
            </MenuItem>
          )}
          <MenuItem icon={<FileJson />} onSelect={() => save("config.json")}>
            Configuration
          </MenuItem>
          <MenuSeparator />
          <ExportItems file={(format) => runLink(run.id, format)} />
        </MenuSub>
        <MenuItem icon={<FileText />} reason={away} onSelect={() => setReports(true)}>
          Report…
        </MenuItem>
        <MenuItem icon={<Upload />} reason={away} onSelect={() => setExports(true)}>
          Export to tracker…
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={<Trash2 />}
          danger
          reason={whyNot("delete", run) ?? away}
          onSelect={() => remove.mutate(run)}
        >
          Delete
        </MenuItem>
      </Menu>
      {forks && kept && (
        <ForkAt run={run} at={forkPoint(run, kept)} onClose={() => setForks(false)} />
      )}
      {reports && <ReportDialog run={run} onClose={() => setReports(false)} />}
      <Dialog
        open={exports}
        onOpenChange={setExports}
        title="Export to tracker"
        description="Export the run once, or keep the copy up to date during training. Repeated exports update the same run."
      >
        <div className="-mx-4">
          <SinksPanel run={run} />
        </div>
      </Dialog>
    </>
  );
}

/** Where a run is forked without another word: at its newest snapshot, or else at its newest step. */
function forkPoint(run: RunDetail, { snapshots, newest }: RunSnapshots): SnapshotInfo | number {
  return snapshots.find(({ name }) => name === newest) ?? run.step;
}

const FOUND = 20;

/** Selects another run and opens the comparison of both. */
function CompareWith({ run }: { run: Run }) {
  return (
    <Popover
      label="Compare with"
      align="end"
      className="w-96"
      trigger={
        <Button
          icon={<GitCompareArrows aria-hidden className="size-3.5" />}
          className="max-sm:px-2.5!"
        >
          <span className="max-sm:sr-only">Compare with…</span>
        </Button>
      }
    >
      <Others run={run} />
    </Popover>
  );
}

function Others({ run }: { run: Run }) {
  const router = useRouter();
  const now = useNow("minute");
  const algorithmName = useAlgorithmName();
  const [text, setText] = useState("");
  const { data, isFetching, error } = useQuery({
    ...runSearchQuery(text, FOUND),
    placeholderData: keepPreviousData,
  });
  const options = (data?.runs ?? [])
    .filter(({ id }) => id !== run.id)
    // Runs on the same environment come first.
    .toSorted((a, b) => Number(b.env_id === run.env_id) - Number(a.env_id === run.env_id))
    .map((other) => ({
      value: other.id,
      label: other.name,
      detail: `${algorithmName(other.algo)} · ${other.env_id} · ${age(other.created_at, now)}`,
      aside: <StatusBadge status={other.status} />,
    }));
  return (
    <OptionList
      label="Runs"
      placeholder="Search runs"
      options={options}
      chosen={() => false}
      onChoose={(other) => router.push(routes.compareRuns([run.id, other]))}
      onSearch={setText}
      loading={isFetching}
      none={
        error
          ? "The runs could not be searched"
          : text === ""
            ? "There is no other run yet"
            : "No other run matches"
      }
      footer={
        <HoverLink
          href={routes.newRunOn(run.env_id)}
          className="block border-t border-line px-3 py-2 text-sm text-accent hover:underline max-md:py-3"
        >
          Train another run on {shortEnvironment(run.env_id)}…
        </HoverLink>
      }
    />
  );
}

/**
 * Deletes a run and opens the list, with a message that offers to restore it. It belongs to the page, because the run's
 * own components are gone by then. Resolves to whether the run is deleted.
 */
export function useDeleteRun() {
  const router = useRouter();
  const { remove } = useRunActionsWithToasts(router.push);
  return useMutation<boolean, Error, Run>({
    mutationFn: async (run) => {
      const gone = (await remove([run])).length > 0;
      if (gone) router.push(routes.home);
      return gone;
    },
  });
}

export type DeleteRun = ReturnType<typeof useDeleteRun>;

/** Every action is asked under a status; its error is over when the run has another. */
export function useHeaderActions(run: Run) {
  const { id, status } = run;
  const actions = useRunActions();
  const start = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.start(id) });
  const stop = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.stop(id) });
  const pause = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.pause(id) });
  const resume = useMutation<unknown, Error, RunStatus>({ mutationFn: () => actions.resume(id) });
  const watch = useMutation<unknown, Error, RunStatus>({
    mutationFn: () => actions.evaluate(id, { policy: usualPolicy(run) }),
    onMutate: () => openTab("episodes"),
  });
  const all = [start, pause, resume, stop, watch];
  const latest = all.reduce((a, b) => (b.submittedAt > a.submittedAt ? b : a));
  return {
    start,
    pause,
    resume,
    stop,
    watch,
    error: latest.variables === status ? latest.error : null,
  };
}
