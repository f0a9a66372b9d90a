"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { healthQuery } from "@/api/choices";
import { storageText } from "@/api/storage";
import type { Health } from "@/api/types";
import { browserNotifications, silence, turnOn } from "@/lib/browser-notifications";
import { bytes, count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { ThemeToggle } from "@/shell/theme-toggle";
import { Card } from "@/ui/card";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Switch } from "@/ui/switch";
import { ServiceSettings } from "./service-settings";

/** Settings of this browser, and the settings that the service runs with. */
export function Settings() {
  const { data: health, error, refetch, isFetching } = useQuery(healthQuery);
  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="This browser" bodyClass="px-4 pb-3">
          <section
            aria-label="Appearance"
            className="flex min-h-12 items-center justify-between gap-4 text-sm"
          >
            <h3 className="text-ink-soft">Theme</h3>
            <ThemeToggle />
          </section>
          <NotificationSettings webhook={health?.webhook} />
        </Card>
        <Card title="Service" bodyClass="px-4 py-1.5">
          {health ? (
            <dl className="divide-y divide-line text-sm tabular-nums">
              <Fact name="Version">{health.version}</Fact>
              <Fact name="Now">
                {health.active_runs} of {health.max_concurrent_runs} training, {health.queued_runs}{" "}
                waiting
              </Fact>
              <Fact name="Training runs in">
                {health.launcher === "process" ? "a process per run" : health.launcher}
              </Fact>
              <Fact name="Free disk in the runs folder">{bytes(health.free_disk_bytes)}</Fact>
            </dl>
          ) : error ? (
            <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
          ) : (
            <Skeleton className="my-2 h-32" />
          )}
        </Card>
      </div>
      <ServiceSettings problem={health?.settings_problem ?? null} />
      {health && <StorageProfiles storage={health.storage} />}
    </div>
  );
}

interface FactProps {
  name: string;
  children: ReactNode;
}

function Fact({ name, children }: FactProps) {
  return (
    <div className="flex min-h-9 items-center justify-between gap-4 py-1.5">
      <dt className="min-w-0 text-ink-soft">{name}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  );
}

/** How much is recorded, with a line for each family of environments. */
function StorageProfiles({ storage }: { storage: Health["storage"] }) {
  const example = Object.values(storage)[0];
  const levels = Object.entries(example?.keeps ?? {});
  return (
    <Card title="Recording" bodyClass="px-4 pt-1 pb-3">
      <dl className="divide-y divide-line border-b border-line text-sm tabular-nums">
        {Object.entries(storage).map(([family, profile]) => (
          <div key={family} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
            <dt className="min-w-0 shrink-0 text-ink-soft">{profile.title}</dt>
            <dd className="text-right">{storageText(profile)}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-2xs text-ink-faint">
        What each level of detail keeps, for example in {example?.title.toLowerCase()}:
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
        <code className="font-mono">RLVIZ_STORAGE</code> sets this by family of environments. A
        run&rsquo;s page changes it for that run, also while it trains. Above the maximum, the
        oldest records are deleted.
      </p>
    </Card>
  );
}

const WHY_NOT = {
  unsupported: "This browser does not offer notifications, or only to pages served over HTTPS.",
  blocked:
    "The browser blocks notifications of this page. Allow them in its settings for the page.",
};

/** Notifications of this browser, and the webhook of the service. */
export function NotificationSettings({ webhook }: { webhook: Health["webhook"] | undefined }) {
  const state = useStore(browserNotifications);
  const cannot = state === "unsupported" || state === "blocked";
  return (
    <section aria-label="Notifications" className="border-t border-line">
      <div className="divide-y divide-line text-sm">
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
              : "When a rule sends a message, or a run is solved or ends, while this page is open in the background."}
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
          dropped
        </p>
      )}
      {webhook?.problem && <p className="text-xs text-bad">{webhook.problem}</p>}
    </div>
  );
}
