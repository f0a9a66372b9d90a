import { Listeners, type ReadableStore } from "@/lib/store";

export const THEMES = ["light", "system", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "rlviz-theme";
const DARK = "(prefers-color-scheme: dark)";

/** A script that runs before the first paint, so that the wrong theme is never shown. */
export const themeScript = `(function(){var t="system";try{t=localStorage.getItem("${KEY}")||t}catch(e){}
var d=t==="dark"||(t!=="light"&&matchMedia("${DARK}").matches);
document.documentElement.dataset.theme=d?"dark":"light"})()`;

const changes = new Listeners(watchChoice);

/** The selected theme, shared by all tabs; null on the server. */
export const themeStore: ReadableStore<Theme | null> = {
  get: readTheme,
  getInitial: () => null,
  subscribe: changes.subscribe,
};

export function setTheme(theme: Theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is left.
  }
  apply(theme);
  changes.notify();
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system";
  }
}

/** Follows changes in other tabs, and of the system's theme while `system` is selected. */
function watchChoice(): () => void {
  const dark = window.matchMedia(DARK);
  const onChange = () => {
    apply(readTheme());
    changes.notify();
  };
  apply(readTheme());
  dark.addEventListener("change", onChange);
  window.addEventListener("storage", onChange);
  return () => {
    dark.removeEventListener("change", onChange);
    window.removeEventListener("storage", onChange);
  };
}

function apply(theme: Theme) {
  const dark = theme === "dark" || (theme === "system" && window.matchMedia(DARK).matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
