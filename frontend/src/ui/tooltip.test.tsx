import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { nextShown, type Shown, type ShownEvent, Tooltip } from "./tooltip";

const setup = () => {
  render(
    <>
      <Tooltip text="The mean of the middle half.">
        <button type="button" aria-label="What is the IQM?" />
      </Tooltip>
      <button type="button">Elsewhere</button>
    </>,
  );
  return screen.getByRole("button", { name: "What is the IQM?" });
};
const text = () => screen.queryByRole("tooltip");

test("a tap shows the text and the next one hides it", async () => {
  const button = setup();
  const tap = () => userEvent.pointer({ keys: "[TouchA]", target: button });
  expect(button).toHaveAttribute("aria-expanded", "false");
  await tap();
  expect(text()).toHaveTextContent("The mean of the middle half.");
  expect(button).toHaveAttribute("aria-expanded", "true");
  await tap();
  expect(text()).toBeNull();
});

test("a click pins the hover text until the next click, also when the pointer leaves", async () => {
  const button = setup();
  await userEvent.hover(button);
  expect(await screen.findByRole("tooltip")).toBeInTheDocument();
  await userEvent.click(button);
  await userEvent.unhover(button);
  expect(text()).toBeInTheDocument();
  await userEvent.click(button);
  expect(text()).toBeNull();
});

test("hovering leaves nothing behind, and pressing hides nothing", () => {
  const after = (...events: ShownEvent[]) => events.reduce<Shown>(nextShown, "no");
  expect(after("point", "leave")).toBe("no");
  // Radix takes a pointer that goes down for one that leaves.
  expect(after("point", "press", "leave")).not.toBe("no");
  expect(after("point", "press", "leave", "tap", "press", "leave", "tap")).toBe("no");
});

test("Escape and a click elsewhere hide pinned text", async () => {
  const button = setup();
  await userEvent.click(button);
  expect(text()).toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  expect(text()).toBeNull();
  await userEvent.click(button);
  expect(text()).toBeInTheDocument();
  await userEvent.click(screen.getByText("Elsewhere"));
  expect(text()).toBeNull();
});

test("by keyboard, focus shows it, Enter toggles it, and moving on hides it", async () => {
  setup();
  await userEvent.tab();
  expect(text()).toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  expect(text()).toBeNull();
  await userEvent.keyboard("{Enter}");
  expect(text()).toBeInTheDocument();
  await userEvent.tab();
  expect(text()).toBeNull();
});
