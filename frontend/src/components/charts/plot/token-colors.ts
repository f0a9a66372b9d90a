/** Current values of the page's CSS colour tokens, for canvases, which cannot use CSS variables. */
export interface TokenColors {
  of: (token: string) => string;
  font: string;
  strongFont: string;
}

/** Reads the tokens as they apply to `element`. Font sizes are multiplied by `scale`. */
export function readTokenColors(element: Element, scale = 1): TokenColors {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  const of = (token: string) => {
    let value = known.get(token);
    if (value === undefined) {
      value = style.getPropertyValue(`--${token}`).trim() || style.color;
      known.set(token, value);
    }
    return value;
  };
  const family = style.fontFamily;
  return { of, font: `${11 * scale}px ${family}`, strongFont: `600 ${13 * scale}px ${family}` };
}

/** `color` with the given share of its opacity. */
export function tint(color: string, share: number): string {
  return `color-mix(in srgb, ${color} ${Math.round(share * 100)}%, transparent)`;
}

/** Calls back whenever the theme of the page changes. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
