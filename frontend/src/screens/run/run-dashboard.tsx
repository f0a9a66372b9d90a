"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleCheck, FileQuestion, Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { ApiError } from "@/api/http";
import { holdRequests, releaseRequests } from "@/api/first-request";
import { type OpeningView, runOpeningQuery, USUAL_VIEW } from "@/api/run-opening";
import { isActive, progress, runQuery } from "@/api/runs";
import type { Run } from "@/api/types";
import { readChartSettings } from "@/charts/chart-settings";
import { percent } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useServiceAway } from "@/lib/service";
import { useDocumentTitle } from "@/shell/page-header";
import { useConnectionState } from "@/stream/provider";
import { SERVICE_AXES } from "@/stream/series/axis";
import { buttonClass } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { useDeleteRun } from "./header/header-actions";
import { RunHeader } from "./header/run-header";
import { RunNotices } from "./notices";
import { preloadTab, RunBody } from "./run-body";
import { tabIn } from "./tabs/tab-address";

export function RunDashboard({ id }: { id: string }) {
  const [view] = useState(openingViewOfAddress);
  useFirst();
  const { isPending } = useQuery(runOpeningQuery(id, view));
  const query = useQuery({ ...runQuery(id), enabled: !isPending });
  const { data: run, error, refetch, isFetching } = query;
  const remove = useDeleteRun();
  useTabTitle(run);
  // The code of the tab comes beside the run, not after it.
  useState(() => preloadTab(tabIn(new URLSearchParams(window.location.search))));
  if (error instanceof ApiError && error.isNotFound) {
    return remove.isPending || remove.data === true ? <RunSkeleton /> : <RunNotFound id={id} />;
  }
  if (!run) {
    if (!error) return <RunSkeleton />;
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  return (
    <div className="flex flex-col gap-4">
      <RunHeader run={run} remove={remove} />
      <RunNotices run={run} />
      <RunBody run={run} />
      <ConnectionNotice />
    </div>
  );
}

/** The curves that the charts of this page ask for, by its address. */
function openingViewOfAddress(): OpeningView {
  const { axis, smoothing } = readChartSettings(new URLSearchParams(window.location.search));
  return { x: SERVICE_AXES[axis], smoothing, maxPoints: USUAL_VIEW.maxPoints };
}

/** Makes other requests wait until the first curve is drawn (`useRunCharts`), or the page is left. */
function useFirst() {
  useState(holdRequests);
  // External system: the requests of all that is on the page.
  useEffect(() => releaseRequests, []);
}

type Said = "lost" | "back" | null;

const BACK_FOR = 4000;

const words = {
  lost: "Connection lost. Reconnecting…",
  back: "Connected again. Nothing was missed.",
};

/** Says when live data stops and when it is back. It floats, so that nothing moves. */
function ConnectionNotice() {
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

/** One response for an id that is missing, malformed or unknown: there is no run to show. */
export function RunNotFound({ id }: { id: string | null }) {
  return (
    <>
      <h1 className="sr-only">Run not found</h1>
      <EmptyState
        icon={FileQuestion}
        title={id === null ? "No run was named" : "This run does not exist"}
        action={
          <HoverLink href={routes.home} className={buttonClass("primary")}>
            Go to your runs
          </HoverLink>
        }
      >
        {id === null ? (
          "The address of a run ends in its id. Choose one from the list."
        ) : (
          <>
            <code className="font-mono text-xs break-all">{id}</code> is not among your runs. It may
            have been deleted.
          </>
        )}
      </EmptyState>
    </>
  );
}

export function RunSkeleton() {
  return (
    <div role="status" aria-label="Loading the run" className="flex flex-col gap-4">
      <div className="space-y-2">
        <Skeleton className="h-3 w-48" />
        <Skeleton className="h-7 w-72 max-w-full" />
        <Skeleton className="h-4 w-56" />
      </div>
      <Skeleton className="h-10 w-96 max-w-full" />
      <Skeleton className="h-24 rounded-lg" />
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <Skeleton className="h-80 rounded-lg" />
        <Skeleton className="h-80 rounded-lg" />
      </div>
    </div>
  );
}

/** Progress and name of a run, such as `34% PPO on CartPole`, for the title of the browser tab. */
export function tabTitle(run: Run): string {
  return `${share(run)}${run.name}`;
}

function share(run: Run): string {
  if (run.status === "starting") return "Starting… ";
  return isActive(run) ? `${percent(progress(run))} ` : "";
}

function useTabTitle(run: Run | undefined) {
  useDocumentTitle(run && tabTitle(run));
}
