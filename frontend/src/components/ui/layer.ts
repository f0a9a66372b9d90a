export const LAYER_ID = "layer";

/**
 * Where floating parts are put: inside the page's `main`, so that they belong to a landmark, or inside what fills
 * the screen, so that they are seen. Without a shell (in a test) it is the body's end. On the server, where `next dev`
 * renders pages too, there is no place yet.
 */
export function layer(): Element | undefined {
  if (typeof document === "undefined") return undefined;
  return document.fullscreenElement ?? document.getElementById(LAYER_ID) ?? undefined;
}

/** What every floating surface looks like. */
export const layerClass =
  "z-layer rounded-lg border border-line-strong bg-raised text-ink shadow-float outline-none animate-float";
