import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { StepsInfo } from "@/api/types";
import { ALL_STEPS } from "./step-filter";
import { StepFilters } from "./step-filters";

const show = (action: object, onChange = vi.fn()) => {
  const info = { action: { kind: "Discrete", ...action }, seeds: [7] } as unknown as StepsInfo;
  render(<StepFilters info={info} filter={ALL_STEPS} onChange={onChange} />);
  return onChange;
};
const actions = () =>
  within(screen.getByRole("combobox", { name: "Action" }))
    .getAllByRole("option")
    .map((option) => [option.textContent, (option as HTMLOptionElement).value]);

test("actions are chosen by name", () => {
  show({ n: 2, labels: ["push left", "push right"], starts: [0] });
  expect(actions()).toEqual([
    ["Any", ""],
    ["push left", "0"],
    ["push right", "1"],
  ]);
});

test("unnamed actions are chosen by number", async () => {
  const change = show({ n: 2, labels: [], starts: [3] });
  expect(actions()).toEqual([
    ["Any", ""],
    ["3", "3"],
    ["4", "4"],
  ]);
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Action" }), "4");
  expect(change).toHaveBeenCalledWith({ ...ALL_STEPS, action: "4" });
});

test("continuous actions have no list", () => {
  show({ kind: "Box", n: null, labels: ["torque"], starts: null });
  expect(screen.queryByRole("combobox", { name: "Action" })).not.toBeInTheDocument();
});

test("an action out of thousands is typed", () => {
  const change = show({ n: 20_000, labels: [], starts: [0] });
  const field = screen.getByRole("spinbutton", { name: "Action" });
  expect(field).toHaveAttribute("placeholder", "Any of 20,000");
  fireEvent.change(field, { target: { value: "700" } });
  expect(change).toHaveBeenCalledWith({ ...ALL_STEPS, action: "700" });
});
