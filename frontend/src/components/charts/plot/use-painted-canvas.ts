import { type RefObject, useEffect, useRef } from "react";
import { readTokenColors, type TokenColors, watchTheme } from "./token-colors";

/** Width and height in CSS pixels, in which `paint` draws at whatever density the screen has. */
export interface CanvasSize {
  width: number;
  height: number;
}

type Paint = (ctx: CanvasRenderingContext2D, size: CanvasSize, colors: TokenColors) => void;

/** A canvas that is painted anew after every render, when its size changes, and when the theme changes. */
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
