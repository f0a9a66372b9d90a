export const LAYER_ID = "layer";

/**
 * The element that floating parts are rendered into: the full-screen element if there is one, so that they
 * are visible, or else the page's `main`, so that they belong to a landmark. Undefined where there is
 * neither, as in tests and on the server; Radix then uses the document's body.
 */
export function layer(): Element | undefined {
  if (typeof document === "undefined") return undefined;
  return document.fullscreenElement ?? document.getElementById(LAYER_ID) ?? undefined;
}

/** The look of every floating surface. */
export const layerClass =
  "z-layer rounded-lg border border-line-strong bg-raised text-ink shadow-float outline-none animate-float";
