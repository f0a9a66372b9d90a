import type { AxisWindow } from "@/stream/series/axis";

interface TouchHandlers {
  /** Positions of the fingers, in pixels from the left of the element. */
  move: (left: number) => void;
  pinch: (before: AxisWindow, after: AxisWindow) => void;
}

/** One finger reads values and two fingers zoom. Vertical movement still scrolls the page. */
export function watchTouch(element: HTMLElement, { move, pinch }: TouchHandlers): () => void {
  const fingers = new Map<number, number>();
  const at = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;
  const pair = (): AxisWindow => {
    const [a = 0, b = 0] = fingers.values();
    return a < b ? [a, b] : [b, a];
  };
  const moved = (event: PointerEvent) => {
    if (event.pointerType !== "touch" || !fingers.has(event.pointerId)) return;
    const before = pair();
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) move(at(event));
    else if (fingers.size === 2) pinch(before, pair());
  };
  const down = (event: PointerEvent) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, at(event));
    moved(event);
  };
  const up = (event: PointerEvent) => fingers.delete(event.pointerId);
  element.style.touchAction = "pan-y";
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", moved);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", moved);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", up);
  };
}
