"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { healthQuery } from "@/api/choices";
import { storageText } from "@/api/storage";
import type { Health } from "@/api/types";
import { browserNotifications, silence, turnOn } from "@/lib/browser-notifications";
import { bytes, count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { Dialog } from "@/ui/dialog";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Switch } from "@/ui/switch";
import { ThemeToggle } from "../theme-toggle";

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

/** How much is recorded of what is played, with a line for each family of environments. */
function StorageProfiles({ storage }: { storage: Health["storage"] }) {
  const example = Object.values(storage)[0];
  const levels = Object.entries(example?.keeps ?? {});
  return (
    <section aria-label="Recording" className="mt-5">
      <h3 className="text-xs font-medium text-ink-faint">Recording</h3>
      <dl className="mt-1.5 divide-y divide-line border-y border-line text-sm tabular-nums">
        {Object.entries(storage).map(([family, profile]) => (
          <div key={family} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
            <dt className="min-w-0 shrink-0 text-ink-soft">{profile.title}</dt>
            <dd className="text-right">{storageText(profile)}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-2xs text-ink-faint">
        What each detail keeps, for instance of {example?.title.toLowerCase()}:
      </p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-2xs text-ink-faint">
        {levels.map(([detail, keeps]) => (
          <div key={detail} className="contents">
            <dt className="font-medium">{detail}</dt>
            <dd>{keeps}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1.5 text-2xs text-ink-faint">
        <code className="font-mono">RLVIZ_STORAGE</code> sets them by family; a run&rsquo;s details
        choose for that run, also while it trains. Where a run has more, the oldest go.
      </p>
    </section>
  );
}

const WHY_NOT = {
  unsupported: "This browser has none, or none for pages that come unencrypted.",
  blocked: "The browser blocks them for this page. Allow them in its settings for the page.",
};

/** How the user is told what runs do while they look elsewhere. */
export function NotificationSettings({ webhook }: { webhook: Health["webhook"] | undefined }) {
  const state = useStore(browserNotifications);
  const cannot = state === "unsupported" || state === "blocked";
  return (
    <section aria-label="Notifications" className="mt-5">
      <h3 className="text-xs font-medium text-ink-faint">Notifications</h3>
      <div className="mt-1.5 divide-y divide-line border-y border-line text-sm">
        <div className="py-1.5">
          <Switch
            label="Notify me in this browser"
            checked={state === "on"}
            disabled={cannot}
            onChange={(on) => (on ? void turnOn() : silence())}
          />
          <p className="text-xs text-ink-soft">
            {cannot
              ? WHY_NOT[state]
              : "When a rule has a message, or a run is solved or ends, while this page is open but out of view. Kept in this browser."}
          </p>
        </div>
        {webhook !== undefined && <Webhook webhook={webhook} />}
      </div>
    </section>
  );
}

function Webhook({ webhook }: { webhook: Health["webhook"] }) {
  return (
    <div className="py-1.5">
      <div className="flex min-h-6 items-center justify-between gap-4">
        <span className="min-w-0 text-ink-soft">
          Webhook
          <code className="block font-mono text-2xs text-ink-faint">RLVIZ_WEBHOOK_URL</code>
        </span>
        <span className="min-w-0 text-right wrap-anywhere">{webhook?.address ?? "none"}</span>
      </div>
      {webhook && (
        <p className="text-xs text-ink-soft tabular-nums">
          {count(webhook.sent)} sent, {count(webhook.waiting)} waiting, {count(webhook.given_up)}{" "}
          given up
        </p>
      )}
      {webhook?.problem && <p className="text-xs text-bad">{webhook.problem}</p>}
    </div>
  );
}
