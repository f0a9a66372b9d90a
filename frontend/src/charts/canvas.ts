import { type RefObject, useEffect, useRef } from "react";

/** Width and height in CSS pixels, in which `paint` draws at whatever density the screen has. */
export interface CanvasSize {
  width: number;
  height: number;
}

type Paint = (ctx: CanvasRenderingContext2D, size: CanvasSize, colors: TokenColors) => void;

/** A canvas that is painted again after every render, and when its size or the theme changes. */
export function usePaintedCanvas(paint: Paint): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const newest = useRef(paint);

  // External system: the canvas. What is on it follows what was rendered.
  useEffect(() => {
    newest.current = paint;
    if (canvas.current) repaint(canvas.current, paint);
  });

  // External system: the size of the canvas and the theme, which change without a render.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const again = () => repaint(element, newest.current);
    const unwatch = watchTheme(again);
    const resize = new ResizeObserver(again);
    resize.observe(element);
    return () => {
      unwatch();
      resize.disconnect();
    };
  }, []);
  return canvas;
}

function repaint(element: HTMLCanvasElement, paint: Paint) {
  const ctx = element.getContext("2d");
  if (!ctx) return;
  const { clientWidth: width, clientHeight: height } = element;
  const [wide, high] = [width, height].map((side) => Math.round(side * devicePixelRatio));
  if (element.width !== wide) element.width = wide!;
  if (element.height !== high) element.height = high!;
  ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  paint(ctx, { width, height }, readTokenColors(element));
}

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
