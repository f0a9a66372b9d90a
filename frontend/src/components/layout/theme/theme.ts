export const THEMES = ["light", "system", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "rlviz-theme";
const DARK = "(prefers-color-scheme: dark)";
const listeners = new Set<() => void>();

/** Runs while the page is parsed, before the first paint, so that no wrong theme flashes up. */
export const themeScript = `(function(){var t="system";try{t=localStorage.getItem("${KEY}")||t}catch(e){}
var d=t==="dark"||(t!=="light"&&matchMedia("${DARK}").matches);
document.documentElement.dataset.theme=d?"dark":"light"})()`;

export function getTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system";
  }
}

export function setTheme(theme: Theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
  apply(theme);
  for (const listener of listeners) listener();
}

/** Tells of choices made here or in another tab, and follows the system while that is the choice. */
export function subscribeTheme(listener: () => void): () => void {
  const dark = window.matchMedia(DARK);
  const changed = () => {
    apply(getTheme());
    listener();
  };
  apply(getTheme());
  listeners.add(listener);
  dark.addEventListener("change", changed);
  window.addEventListener("storage", changed);
  return () => {
    listeners.delete(listener);
    dark.removeEventListener("change", changed);
    window.removeEventListener("storage", changed);
  };
}

function apply(theme: Theme) {
  const dark = theme === "dark" || (theme === "system" && window.matchMedia(DARK).matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
