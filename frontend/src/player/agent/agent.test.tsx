import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { ReturnToStage, Stage, useCornerWindow } from "./stage";
import { AgentViews } from "./views";

let scrollTo: (inView: boolean) => void = () => {};

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(seen: (entries: { intersectionRatio: number }[]) => void) {
        scrollTo = (inView) => act(() => seen([{ intersectionRatio: inView ? 1 : 0 }]));
      }
      observe() {}
      disconnect() {}
    },
  );
});

function Played({ playing }: { playing: boolean }) {
  const corner = useCornerWindow(playing);
  return (
    <Stage label="Moment" caption="Policy of step 7" corner={corner} stillUrl={null}>
      <video aria-label="clip" />
    </Stage>
  );
}

const small = () => screen.queryByRole("group", { name: "Moment, docked" });

test("a playing view is docked as the same element when its place is scrolled away", () => {
  const { rerender } = render(<Played playing />);
  const video = screen.getByLabelText("clip");
  scrollTo(true);
  expect(small()).toBeNull();
  scrollTo(false);
  expect(small()).toContainElement(video);
  expect(small()).toHaveTextContent("Policy of step 7");
  rerender(<Played playing={false} />);
  expect(small()).toContainElement(video);
  scrollTo(true);
  expect(small()).toBeNull();
  expect(screen.getByLabelText("clip")).toBe(video);
});

test("a view that does not play stays in its place", () => {
  render(<Played playing={false} />);
  scrollTo(false);
  expect(small()).toBeNull();
});

test("Escape closes the small window until its place has been visible again", async () => {
  render(<Played playing />);
  scrollTo(false);
  await userEvent.keyboard("{Escape}");
  expect(small()).toBeNull();
  scrollTo(true);
  scrollTo(false);
  expect(small()).not.toBeNull();
});

/** Has an element lie at these pixels of the window. */
function layAt(element: Element, [left, top, width, height]: [number, number, number, number]) {
  const rect = { left, top, width, height, right: left + width, bottom: top + height };
  element.getBoundingClientRect = () => rect as DOMRect;
}

test("the small window leads back to a place that is not currently shown", async () => {
  const showPlace = vi.fn();
  render(
    <ReturnToStage value={showPlace}>
      <Played playing />
    </ReturnToStage>,
  );
  scrollTo(false);
  await userEvent.click(screen.getByRole("button", { name: "Back to full size" }));
  expect(showPlace).toHaveBeenCalledOnce();
});

test("with a full-width small window, a focused element below it is scrolled into view", () => {
  render(
    <>
      <Played playing />
      <input aria-label="held at" />
    </>,
  );
  scrollTo(false);
  const input = screen.getByLabelText("held at");
  input.scrollIntoView = vi.fn();
  layAt(small()!, [0, 600, innerWidth, 96]);
  layAt(input, [10, 620, 300, 20]);
  act(() => input.focus());
  expect(input.scrollIntoView).toHaveBeenCalledWith({ block: "nearest" });
});

test("arrow keys move between views and keep the focus, and updates are announced by name", async () => {
  function Views() {
    const [shown, choose] = useState<"live" | "moment">("live");
    const views = [
      { name: "live", label: "Live" },
      { name: "moment", label: "Moment", news: "new" },
    ] as const;
    return (
      <AgentViews views={views} shown={shown} onChoose={choose}>
        <p key={shown}>shows {shown}</p>
      </AgentViews>
    );
  }
  render(<Views />);
  expect(screen.getByRole("region", { name: "Live" })).toHaveTextContent("shows live");
  screen.getByRole("radio", { name: "Live" }).focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(screen.getByRole("region", { name: "Moment" })).toHaveTextContent("shows moment");
  expect(screen.getByRole("radio", { name: "Moment, new" })).toHaveFocus();
});
