"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { healthQuery } from "@/api/choices";
import { bytes } from "@/lib/number";
import { Dialog } from "@/ui/dialog";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { NotificationSettings } from "../notifications/notification-settings";
import { ThemeToggle } from "../theme/theme-toggle";
import { StorageProfiles } from "./storage-profiles";

/** Settings of this browser, and the settings that the service runs with. */
export function SettingsSheet({ onClose }: { onClose: () => void }) {
  const { data: health, error, refetch, isFetching } = useQuery(healthQuery);
  return (
    <Dialog open onOpenChange={onClose} title="Settings">
      <section aria-label="Appearance" className="flex items-center justify-between gap-4 text-sm">
        <div>
          <h3 className="font-medium">Theme</h3>
          <p className="text-xs text-ink-soft">Kept in this browser.</p>
        </div>
        <ThemeToggle />
      </section>
      <NotificationSettings webhook={health?.webhook} />
      <section aria-label="Service" className="mt-5">
        <h3 className="text-xs font-medium text-ink-faint">Service</h3>
        {health ? (
          <dl className="mt-1.5 divide-y divide-line border-y border-line text-sm tabular-nums">
            <Fact name="Version">{health.version}</Fact>
            <Fact name="Runs that train at the same time" setBy="RLVIZ_MAX_CONCURRENT_RUNS">
              {health.max_concurrent_runs}
            </Fact>
            <Fact name="Where training runs" setBy="RLVIZ_LAUNCHER">
              {health.launcher === "process" ? "a process for each run" : health.launcher}
            </Fact>
            <Fact name="Free disk where the runs lie" setBy="RLVIZ_RUNS_DIR">
              {bytes(health.free_disk_bytes)}
            </Fact>
            <Fact name="At the moment">
              {health.active_runs} training, {health.queued_runs} waiting
            </Fact>
          </dl>
        ) : error ? (
          <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
        ) : (
          <Skeleton className="mt-1.5 h-48" />
        )}
        <p className="mt-3 text-xs text-ink-soft">
          The service is set when it starts, by variables of its environment or a file named{" "}
          <code className="font-mono">.env</code>. <code className="font-mono">rlviz config</code>{" "}
          lists them all, with the value of each and where it comes from.
        </p>
      </section>
      {health && <StorageProfiles storage={health.storage} />}
    </Dialog>
  );
}

interface FactProps {
  name: string;
  /** Name of the environment variable that sets it. */
  setBy?: string;
  children: ReactNode;
}

function Fact({ name, setBy, children }: FactProps) {
  return (
    <div className="flex min-h-9 items-center justify-between gap-4 py-1.5">
      <dt className="min-w-0 text-ink-soft">
        {name}
        {setBy && <code className="block font-mono text-2xs text-ink-faint">{setBy}</code>}
      </dt>
      <dd className="text-right">{children}</dd>
    </div>
  );
}
