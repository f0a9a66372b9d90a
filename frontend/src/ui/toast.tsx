"use client";

import { lazy, Suspense, useState } from "react";
import { withRetry } from "@/api/with-retry";
import { createStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";

/** The state of affairs that a message is about: the service not answering, or a run having this status. */
export type ToastCause = "service" | { run: string; status: string };

export interface ToastMessage {
  title: string;
  description?: string;
  /** The colour; it only repeats the meaning of the title. */
  tone?: "good" | "bad" | "info";
  /** One action that the message offers, for instance Undo. */
  action?: { label: string; onAction: () => void };
  /** A link to a page of the app. */
  link?: { label: string; onFollow: () => void };
  /** When this no longer holds, the message is dismissed. */
  cause?: ToastCause;
  /**
   * Milliseconds until the message is dismissed, not counting time with the pointer or the focus on it.
   * Default: 10,000 with an action, otherwise 5,000.
   */
  duration?: number;
}

export interface Toast extends ToastMessage {
  id: number;
  duration: number;
}

const BRIEF = 5_000;
const WITH_ACTION = 10_000;
const AT_MOST = 3;

let nextId = 1;

/** The messages on screen, oldest first. */
export const toastStore = createStore<readonly Toast[]>([]);

/** Shows a message. Returns a function that dismisses it. */
export function toast(message: ToastMessage): () => void {
  const id = nextId++;
  const duration = message.duration ?? (message.action ? WITH_ACTION : BRIEF);
  const others = toastStore.get().filter((other) => !isSame(other, message));
  toastStore.set([...others, { ...message, id, duration }].slice(-AT_MOST));
  return () => dismiss(id);
}

/** Whether two messages say the same, so that one of them is enough. */
function isSame(one: ToastMessage, other: ToastMessage): boolean {
  return (
    one.title === other.title &&
    one.description === other.description &&
    one.action === undefined &&
    other.action === undefined
  );
}

export function dismiss(id: number) {
  keep((toast) => toast.id !== id);
}

/** Dismisses the messages about a run that belong to another status than `status`, its current one. */
export function dismissForRun(run: string, status: string) {
  keep(({ cause }) => typeof cause !== "object" || cause.run !== run || cause.status === status);
}

/** Dismisses the messages about the service not answering. */
export function dismissForService() {
  keep(({ cause }) => cause !== "service");
}

function keep(wanted: (toast: Toast) => boolean) {
  const before = toastStore.get();
  const after = before.filter(wanted);
  if (after.length < before.length) toastStore.set(after);
}

const ToastViewport = lazy(
  withRetry(() => import("./toast-viewport").then((m) => ({ default: m.ToastViewport }))),
);

/** Shows the messages; rendered once, in the shell. The code is loaded with the first message. */
export function Toaster() {
  const some = useStore(toastStore).length > 0;
  const [used, setUsed] = useState(false);
  if (some && !used) setUsed(true);
  return <Suspense>{used && <ToastViewport />}</Suspense>;
}
