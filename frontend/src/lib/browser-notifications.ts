import { Listeners, type ReadableStore } from "./store";

/**
 * `blocked`: the user refused, and the browser does not ask again. `unsupported`: the browser cannot show them, or not
 * on this page.
 */
export type BrowserNotifications = "unsupported" | "blocked" | "off" | "on";

const KEY = "rlviz-notifications";
const ON = "on";

/** For a browser that forbids storage; the choice then lasts until the page is left. */
let chosen = false;
const changes = new Listeners(watchOtherTabs);

/** Whether this browser shows notifications: the user's choice and the browser's permission. */
export const browserNotifications: ReadableStore<BrowserNotifications> = {
  get: read,
  getInitial: () => "off",
  subscribe: changes.subscribe,
};

/** Asks the browser for permission if it was not granted before. Call it from a click. */
export async function turnOn() {
  if (read() === "unsupported") return;
  if (Notification.permission !== "granted") await Notification.requestPermission();
  if (Notification.permission === "granted") keep(true);
  changes.notify();
}

export function silence() {
  keep(false);
  changes.notify();
}

function read(): BrowserNotifications {
  if (typeof Notification === "undefined") return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && wanted() ? "on" : "off";
}

function wanted(): boolean {
  try {
    return localStorage.getItem(KEY) === ON;
  } catch {
    return chosen;
  }
}

function keep(on: boolean) {
  chosen = on;
  try {
    if (on) localStorage.setItem(KEY, ON);
    else localStorage.removeItem(KEY);
  } catch {
    // See `chosen`.
  }
}

function watchOtherTabs(): () => void {
  const onStorage = () => changes.notify();
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}
