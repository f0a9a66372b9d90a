import { createStore } from "@/lib/store";

export interface ToastMessage {
  title: string;
  description?: string;
  /** The colour repeats what the title says. */
  tone?: "good" | "bad" | "info";
  /** One thing to do about it: Undo, Retry, View. */
  action?: { label: string; onAction: () => void };
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
  toastStore.set(toastStore.get().filter((each) => each.id !== id));
}
