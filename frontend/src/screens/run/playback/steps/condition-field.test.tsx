import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { StepsInfo } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { evaluation } from "../fixtures";
import { ConditionField } from "./step-filters";

const info = { action: { labels: ["push left"] } } as StepsInfo;
const found = { total: 1, start: 0, stop: 1, info, columns: { index: [3] } };
const problem = "At character 1: There is 'rewrad' where a condition was expected.";

function shown(onChange = vi.fn(), condition = "") {
  serve({
    "GET /runs/a/evaluations/e/steps": (_, query) =>
      query.get("where")!.startsWith("rewrad")
        ? {
            status: 422,
            body: {
              title: "Invalid",
              detail: problem,
              errors: [{ pointer: "/where/0", detail: problem }],
            },
          }
        : { body: found },
  });
  renderWithQueries(
    <ConditionField
      evaluation={evaluation("e")}
      info={info}
      condition={condition}
      onChange={onChange}
    />,
  );
  return { field: screen.getByRole("textbox", { name: "Condition" }), onChange };
}

test("a condition applies on Enter", async () => {
  const { field, onChange } = shown();
  await userEvent.type(field, " reward < 0 and action = push left");
  expect(onChange).not.toHaveBeenCalled();
  await userEvent.keyboard("{Enter}");
  await vi.waitFor(() =>
    expect(onChange).toHaveBeenCalledWith("reward < 0 and action = push left"),
  );
});

test("an invalid condition is reported next to the field until it is changed and does not apply", async () => {
  const { field, onChange } = shown();
  await userEvent.type(field, "rewrad < 0{Enter}");
  await vi.waitFor(() => expect(field).toHaveAccessibleDescription(problem));
  expect(field).toBeInvalid();
  expect(onChange).not.toHaveBeenCalled();
  await userEvent.type(field, "1");
  expect(field).toBeValid();
});

test("a click clears it, and leaving the field also applies it", async () => {
  const { field, onChange } = shown(vi.fn(), "terminated");
  await userEvent.click(screen.getByRole("button", { name: "Clear the condition" }));
  expect(onChange).toHaveBeenLastCalledWith("");
  expect(field).toHaveValue("");
  await userEvent.type(field, "truncated");
  await userEvent.tab();
  await vi.waitFor(() => expect(onChange).toHaveBeenLastCalledWith("truncated"));
});
