/** The colours of the page's CSS tokens as they are at the moment, as a canvas cannot use CSS variables. */
export interface TokenColors {
  of: (token: string) => string;
  font: string;
  strongFont: string;
}

/** `scale` enlarges the fonts. */
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

/** The colour with `share` of its opacity, for what lies behind a line. */
export function tint(color: string, share: number): string {
  return `color-mix(in srgb, ${color} ${Math.round(share * 100)}%, transparent)`;
}

/** Calls back whenever the theme of the page changes. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
