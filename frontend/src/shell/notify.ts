import type { Notification as NotificationData } from "@/api/types";
import { browserNotifications } from "@/lib/browser-notifications";
import { toast } from "@/ui/toast";

/** Longer than for other messages, because the user did not press anything and does not expect a message. */
const DURATION = 12_000;

const TONES = {
  rule: "info",
  solved: "good",
  completed: "good",
  stopped: "info",
  failed: "bad",
  interrupted: "bad",
  memory: "bad",
} as const satisfies Record<NotificationData["kind"], "good" | "bad" | "info">;

/**
 * Shows a notification: on the page or, while the page is hidden and the user wants it, as a notification of the
 * system.
 */
export function show(
  { kind, title, message, number, run_id, experiment_id }: NotificationData,
  onOpen: () => void,
) {
  const about = run_id ?? experiment_id;
  const isHere = new URLSearchParams(window.location.search).get("id") === about;
  toast({
    title,
    description: message || undefined,
    tone: TONES[kind],
    duration: DURATION,
    link:
      isHere || about === null
        ? undefined
        : { label: run_id ? "Open the run" : "Open the experiment", onFollow: onOpen },
  });
  if (document.visibilityState === "visible" || browserNotifications.get() !== "on") return;
  try {
    // Of the tabs that are open, each shows it; by its tag they are one.
    const shown = new Notification(title, { body: message, tag: `rlviz-${number}` });
    shown.onclick = () => {
      window.focus();
      onOpen();
      shown.close();
    };
  } catch {
    // Some phones have the interface, and allow it in service workers alone.
  }
}
