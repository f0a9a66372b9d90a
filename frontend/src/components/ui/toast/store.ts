import { createStore } from "@/lib/store";

/** What a message is about: the service as a whole, or one run as long as it has this status. */
export type ToastCause = "service" | { run: string; status: string };

export interface ToastMessage {
  title: string;
  description?: string;
  /** The colour repeats what the title says. */
  tone?: "good" | "bad" | "info";
  /** One thing to do about it: Undo, Retry, View. */
  action?: { label: string; onAction: () => void };
  /** Where to go from here. */
  link?: { label: string; onFollow: () => void };
  /** The message goes as soon as this has changed. */
  cause?: ToastCause;
  /** Milliseconds it stays while nobody looks at it; longer by itself when there is something to do. */
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

/** The messages on screen, the oldest first. */
export const toastStore = createStore<readonly Toast[]>([]);

/** Shows a message. Returns the function that takes it away again. */
export function toast(message: ToastMessage): () => void {
  const id = nextId++;
  const duration = message.duration ?? (message.action ? WITH_ACTION : BRIEF);
  toastStore.set([...toastStore.get(), { ...message, id, duration }].slice(-AT_MOST));
  return () => dismiss(id);
}

export function dismiss(id: number) {
  keep((toast) => toast.id !== id);
}

/** A run has this status now: what was said of it under another one is over. */
export function dismissForRun(run: string, status: string) {
  keep(({ cause }) => typeof cause !== "object" || cause.run !== run || cause.status === status);
}

/** The service answers again. */
export function dismissForService() {
  keep(({ cause }) => cause !== "service");
}

function keep(wanted: (toast: Toast) => boolean) {
  const before = toastStore.get();
  const after = before.filter(wanted);
  if (after.length < before.length) toastStore.set(after);
}
