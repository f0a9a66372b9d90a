import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Run } from "@/lib/api";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { SideBySide } from "./side-by-side";

const runs = ["a", "b", "c"].map(
  (id) => ({ id, name: `Run ${id}`, env_id: "X", status: "completed", policy_step: 5 }) as Run,
);

beforeEach(() => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
});

test("as many runs play live as the service allows, and it is said which do not", async () => {
  serve({
    "GET /health": () => ({ body: { max_sessions: 2 } }),
    ...Object.fromEntries(
      runs.map(({ id }) => [`GET /runs/${id}/evaluations`, () => ({ body: [] })]),
    ),
  });
  renderWithQueries(<SideBySide runs={runs} seriesStyles={new Map()} />);
  await userEvent.click(screen.getByRole("radio", { name: "Live" }));
  expect(await screen.findByText("Run b")).toBeVisible();
  expect(screen.queryByText("Run c")).not.toBeInTheDocument();
  expect(screen.getByText(/first 2 of 3 runs play.*2 sessions/)).toBeVisible();
});
