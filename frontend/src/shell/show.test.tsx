import { beforeEach, expect, test, vi } from "vitest";
import type { Notification as NotificationData } from "@/api/types";
import { dismiss, toastStore } from "@/ui/toast";
import { show } from "./notify";

const notification = (change: Partial<NotificationData> = {}): NotificationData => ({
  ...{ number: 7, time: "2026-11-22T12:00:00Z", kind: "failed", run_id: "a", run_name: "First" },
  ...{ step: 900, title: "Failed: First", message: "OSError: full", experiment_id: null },
  ...change,
});

const shown: { title: string; options: NotificationOptions; onclick: (() => void) | null }[] = [];

class FakeNotification {
  static permission = "granted";
  onclick: (() => void) | null = null;
  close = vi.fn();
  constructor(
    readonly title: string,
    readonly options: NotificationOptions,
  ) {
    shown.push(this);
  }
}

function page({ visible, chosen }: { visible: boolean; chosen: boolean }) {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(visible ? "visible" : "hidden");
  if (chosen) localStorage.setItem("rlviz-notifications", "on");
}

beforeEach(() => {
  shown.length = 0;
  localStorage.clear();
  window.history.replaceState(null, "", "/");
  for (const { id } of toastStore.get()) dismiss(id);
  vi.stubGlobal("Notification", FakeNotification);
});

test("a visible page shows a message with a link to the run and no system notification", () => {
  page({ visible: true, chosen: true });
  const open = vi.fn();
  show(notification(), open);
  const [message] = toastStore.get();
  expect(message).toMatchObject({
    ...{ title: "Failed: First", description: "OSError: full", tone: "bad" },
  });
  message?.link?.onFollow();
  expect(open).toHaveBeenCalledOnce();
  expect(shown).toHaveLength(0);
});

test("a message without a run or experiment has no link on any page", () => {
  page({ visible: true, chosen: false });
  window.history.replaceState(null, "", "/runs/view?id=a");
  show(notification({ kind: "memory", run_id: null, title: "Memory is 92% full" }), vi.fn());
  expect(toastStore.get()[0]).toMatchObject({ link: undefined, tone: "bad" });
});

test("on the page of the run the message has no link to it", () => {
  page({ visible: true, chosen: false });
  window.history.replaceState(null, "", "/runs/view?id=a");
  show(notification({ kind: "completed", message: "" }), vi.fn());
  expect(toastStore.get()[0]).toMatchObject({
    link: undefined,
    description: undefined,
    tone: "good",
  });
});

test("a hidden page shows a system notification that opens the run", () => {
  page({ visible: false, chosen: true });
  const open = vi.fn();
  show(notification(), open);
  expect(shown).toMatchObject([
    { title: "Failed: First", options: { body: "OSError: full", tag: "rlviz-7" } },
  ]);
  shown[0]?.onclick?.();
  expect(open).toHaveBeenCalledOnce();
});

test("without permission there is no system notification", () => {
  page({ visible: false, chosen: false });
  show(notification(), vi.fn());
  expect(shown).toHaveLength(0);
  expect(toastStore.get()).toHaveLength(1);
});

test("a message about an experiment links to it", () => {
  page({ visible: true, chosen: false });
  show(
    notification({ kind: "completed", run_id: null, run_name: null, experiment_id: "exp-1" }),
    vi.fn(),
  );
  expect(toastStore.get()[0]?.link?.label).toBe("Open the experiment");
});
