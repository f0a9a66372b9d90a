import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { AgentViews, Stage, useCornerWindow } from ".";

let scrollTo: (inView: boolean) => void = () => {};

beforeEach(() => {
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

const small = () => screen.queryByRole("group", { name: "Moment, in a corner" });

test("what plays goes on in a corner when its place is scrolled away, as the same picture", () => {
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

test("what does not play stays in its place", () => {
  render(<Played playing={false} />);
  scrollTo(false);
  expect(small()).toBeNull();
});

test("the small window is closed by Escape, until its place was in sight again", async () => {
  render(<Played playing />);
  scrollTo(false);
  await userEvent.keyboard("{Escape}");
  expect(small()).toBeNull();
  scrollTo(true);
  scrollTo(false);
  expect(small()).not.toBeNull();
});

test("arrow keys go from view to view without losing the focus, and news are told by name", async () => {
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
