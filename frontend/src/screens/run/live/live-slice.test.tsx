import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { LiveSlice } from "@/api/types";
import { createStore } from "@/lib/store";
import type { SessionClient } from "@/player/session/session-client";
import { recordOf } from "@/player/session/testing";
import { LiveSliceFigure } from "./live-slice";

const space = {
  kind: "Box",
  shape: [3],
  labels: ["position", "speed", "angle"],
  units: ["m", "", ""],
};
const record = recordOf(7, { observation: [0, 0.25, 0.75] });

const drawn = (over: [number, number]): LiveSlice => ({
  ...{ type: "slice", policy_step: 4096, episode: 0, index: 7, over },
  slice: {
    ...{ kind: "value", x: { low: 0, high: 1 }, y: { low: 0, high: 1 }, at: [0, 0.25, 0.75] },
    values: Array.from({ length: 64 }, (_, y) => Array.from({ length: 64 }, (_, x) => x + 100 * y)),
    ...{ low: 0, high: 6363 },
  },
});

function shown() {
  const slice = createStore<LiveSlice | null>(null);
  const showSlice = vi.fn();
  const client = { slice, showSlice } as unknown as SessionClient;
  const view = render(
    <LiveSliceFigure client={client} space={space} record={record} records={[record]} />,
  );
  return { slice, showSlice, ...view };
}

test("the slice is requested while it is open, with the chosen components", async () => {
  const user = userEvent.setup();
  const { slice, showSlice, unmount } = shown();
  expect(showSlice).not.toHaveBeenCalled();
  await user.click(screen.getByText("Value slice"));
  expect(showSlice).toHaveBeenLastCalledWith([1, 2], []);
  act(() => slice.set(drawn([1, 2])));
  expect(
    screen.getByText(/Policy of step 4,096; the other components keep their values of step 7/),
  ).toBeVisible();
  await user.selectOptions(screen.getByLabelText("Across"), "position");
  expect(showSlice).toHaveBeenLastCalledWith([0, 2], []);
  unmount();
  expect(showSlice).toHaveBeenLastCalledWith(null);
});

test("components that are not drawn can be held at other values and reset to what is seen", async () => {
  const user = userEvent.setup();
  const { slice, showSlice } = shown();
  await user.click(screen.getByText("Value slice"));
  act(() => slice.set(drawn([1, 2])));
  await user.click(screen.getByText("Change the observation"));
  const position = screen.getByRole("slider", { name: "position" });
  expect(position).toHaveAttribute("aria-valuetext", "0 m");
  fireEvent.change(position, { target: { value: "1.5" } });
  expect(showSlice).toHaveBeenLastCalledWith([1, 2], [[0, 1.5]]);
  expect(position).toHaveAttribute("aria-valuetext", "1.50 m");
  expect(
    screen.getByText(/the components that you did not change keep their values of step 7/),
  ).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Reset to the observation" }));
  expect(showSlice).toHaveBeenLastCalledWith([1, 2], []);
  expect(position).toHaveAttribute("aria-valuetext", "0 m");
});

test("the point follows the step and moves with the keyboard", async () => {
  const user = userEvent.setup();
  const { slice } = shown();
  await user.click(screen.getByText("Value slice"));
  act(() => slice.set(drawn([1, 2])));
  const picture = screen.getByRole("application", { name: /V over speed and angle/ });
  expect(picture).toHaveAccessibleDescription(/: V 4,716$/);
  picture.focus();
  await user.keyboard("{Shift>}{ArrowRight}{/Shift}{ArrowUp}");
  expect(picture).toHaveAccessibleDescription(/: V 4,824$/);
  await user.keyboard("{Escape}");
  expect(picture).toHaveAccessibleDescription(/: V 4,716$/);
  fireEvent.blur(picture);
});
