import type { ChartColor } from "../prepare/model";

export type Palette = Record<ChartColor | "chart-grid" | "chart-axis" | "surface", string> & {
  font: string;
};

const NAMES = [
  "chart-raw",
  "chart-mean",
  "chart-reference",
  "chart-grid",
  "chart-axis",
  "surface",
] as const;

/** A canvas knows no CSS variables: reads them as they stand now. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const colors = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return {
    ...(Object.fromEntries(colors) as Record<(typeof NAMES)[number], string>),
    font: `11px ${style.fontFamily}`,
  };
}

/** Calls back whenever the theme of the page changes. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
