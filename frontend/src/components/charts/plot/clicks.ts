import { LEAST_DRAG } from "./options";

/** Tells where `element` is clicked, in pixels from its left edge. What was dragged before it was let go is no click. */
export function watchClicks(element: HTMLElement, clicked: (left: number) => void): () => void {
  let pressedAt = 0;
  const down = (event: PointerEvent) => (pressedAt = event.clientX);
  const click = (event: MouseEvent) => {
    if (Math.abs(event.clientX - pressedAt) < LEAST_DRAG)
      clicked(event.clientX - element.getBoundingClientRect().left);
  };
  element.addEventListener("pointerdown", down);
  element.addEventListener("click", click);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("click", click);
  };
}
