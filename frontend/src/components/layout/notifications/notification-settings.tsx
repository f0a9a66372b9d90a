"use client";

import type { Health } from "@/api/types";
import { browserNotifications, silence, turnOn } from "@/lib/browser-notifications";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { Switch } from "@/ui/switch";

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
