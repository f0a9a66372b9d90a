import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { recordOf } from "../session/testing";
import { ValueSliceFigure } from "./value-slice-figure";

const space = { kind: "Box", shape: [3], labels: ["position", "speed", "angle"] };
const records = [0, 1, 2].map((index) => recordOf(index, { observation: [index, 0.25, 0.75] }));
const reach = { low: 0, high: 1, unit: "" };

function figure(index: number) {
  return (
    <ValueSliceFigure
      runId="a"
      step={20_000}
      space={space}
      record={records[index]!}
      records={records}
    />
  );
}

/** The service, which holds the policy of step 12,288 alone; and the observations that it was asked for. */
function sliced() {
  const at: (string | null)[] = [];
  serve({
    "GET /runs/a/value-slice": (_, query) => {
      at.push(query.get("at"));
      return {
        body: {
          ...{ step: 12_288, kind: "value", values: [[0]], low: 0, high: 0, at: [0, 0, 0] },
          x: { ...reach, place: 1, name: "speed" },
          y: { ...reach, place: 2, name: "angle" },
        },
      };
    },
  });
  return at;
}

test("it starts at the step on the screen and names the policy", async () => {
  const at = sliced();
  renderWithQueries(figure(1));
  await userEvent.click(screen.getByText("Value slice"));
  expect(
    await screen.findByText("Policy of step 12,288, the newest one kept up to step 20,000."),
  ).toBeVisible();
  expect(screen.getByText(/keep their values of step 1 of episode 1/)).toBeVisible();
  expect(at).toEqual(["1,0.25,0.75"]);
});

test("components that are not drawn can be held at other values and reset", async () => {
  const at = sliced();
  renderWithQueries(figure(1));
  await userEvent.click(screen.getByText("Value slice"));
  await screen.findByText(/Policy of step 12,288/);
  await userEvent.click(screen.getByText("Change the observation"));
  const position = screen.getByRole("slider", { name: "position" });
  fireEvent.change(position, { target: { value: "2.5" } });
  await vi.waitFor(() => expect(at.at(-1)).toBe("2.5,0.25,0.75"));
  expect(
    screen.getByText(/The components that you did not change keep their values of step 1/),
  ).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Reset to the observation" }));
  expect(position).toHaveAttribute("aria-valuetext", "1.00");
  expect(screen.getByText(/The other components keep their values of step 1/)).toBeVisible();
});

test("it follows the episode on request and otherwise stays in place", async () => {
  const at = sliced();
  const { rerender } = renderWithQueries(figure(0));
  await userEvent.click(screen.getByText("Value slice"));
  await screen.findByText(/Policy of step 12,288/);
  rerender(figure(1));
  expect(screen.getByText(/keep their values of step 0 of episode 1/)).toBeVisible();
  await userEvent.click(screen.getByRole("switch", { name: "Follow the episode" }));
  rerender(figure(2));
  expect(await screen.findByText(/keep their values of step 2 of episode 1/)).toBeVisible();
  await vi.waitFor(() => expect(at.at(-1)).toBe("2,0.25,0.75"));
});
