import { LEAST_DRAG } from "./options";

/**
 * Reports clicks on `element` with their position in pixels from its left edge. The end of a drag is no
 * click.
 */
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
