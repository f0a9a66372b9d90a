import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { choices } from "./fixtures";
import { NewRun } from "./new-run";

vi.mock("next/navigation", () => ({ useRouter: () => ({ push: vi.fn() }) }));

const show = (total: number) => {
  serve({
    "GET /algorithms": () => ({ body: choices.algorithms }),
    "GET /environments": () => ({ body: choices.environments }),
    "GET /runs": () => ({ body: { runs: [], next_cursor: null, total } }),
  });
  renderWithQueries(<NewRun />);
};

test("where there are runs, a phone's user unfolds the form", async () => {
  show(3);
  const button = screen.getByRole("button", { name: "Set up" });
  await userEvent.click(button);
  expect(button).toHaveAttribute("aria-expanded", "true");
});

test("where there is none, the form is all there is", async () => {
  show(0);
  expect(await screen.findByRole("form", { name: "New run" })).toBeVisible();
  await vi.waitFor(() =>
    expect(screen.queryByRole("button", { name: "Set up" })).not.toBeInTheDocument(),
  );
});
