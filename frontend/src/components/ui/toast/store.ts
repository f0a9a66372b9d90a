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

let next = 1;
let toasts: readonly Toast[] = [];
const listeners = new Set<() => void>();

function set(changed: readonly Toast[]) {
  toasts = changed;
  for (const listener of listeners) listener();
}

/** Says that something happened. Returns what takes the message back. */
export function toast(message: ToastMessage): () => void {
  const id = next++;
  const duration = message.duration ?? (message.action ? WITH_ACTION : BRIEF);
  set([...toasts, { ...message, id, duration }].slice(-AT_MOST));
  return () => dismiss(id);
}

export function dismiss(id: number) {
  set(toasts.filter((each) => each.id !== id));
}

export const toastStore = {
  current: () => toasts,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
