import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { ScrollRegion } from "./scroll-region";

let look: () => void;

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(called: () => void) {
        look = called;
      }
      observe() {
        look();
      }
      disconnect() {}
    },
  );
});

/** jsdom lays nothing out. */
function sized(element: HTMLElement, scrollWidth: number, clientWidth: number) {
  Object.defineProperties(element, {
    scrollWidth: { value: scrollWidth, configurable: true },
    clientWidth: { value: clientWidth, configurable: true },
  });
}

test("it fades at its edge until everything was seen, and only if something is cut off", () => {
  const { container } = render(<ScrollRegion label="Trials">wide</ScrollRegion>);
  const region = screen.getByRole("region", { name: "Trials" });
  const fades = () => container.querySelector("[data-more]") !== null;
  expect(fades()).toBe(false);
  sized(region, 500, 300);
  fireEvent.scroll(region);
  expect(fades()).toBe(true);
  region.scrollLeft = 199.5;
  fireEvent.scroll(region);
  expect(fades()).toBe(false);
  region.scrollLeft = 100;
  fireEvent.scroll(region);
  expect(fades()).toBe(true);
  expect(region).toHaveAttribute("tabindex", "0");
});
