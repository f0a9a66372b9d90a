import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Run, SeedGroup } from "@/api/types";
import { SeedsCard } from "./seeds-card";

const runs = [1, 2, 3].map(
  (seed) =>
    ({
      ...{ id: `r${seed}`, seed, status: "completed", sparkline: [1, 2] },
      ...{ ep_rew_mean: seed * 100, best_moving_average: seed * 111 },
    }) as Run,
);
const group = {
  ...{ id: "r1", run_ids: ["r1", "r2", "r3"], scored: 3, solved: 2 },
  ...{ iqm: 210, low: 100, high: 300, definition: "IQM of 3 of 3 seeds." },
} as SeedGroup;

test("the group of a run shows the result of its seeds and links to each and to all", async () => {
  const onBand = vi.fn();
  render(<SeedsCard own="r2" seeds={{ group, runs }} band={false} onBand={onBand} />);
  expect(screen.getByText(/interquartile mean of 3 of 3 seeds/)).toHaveTextContent(
    "210.0 [100.0, 300.0]; 2 solved.",
  );
  expect(screen.getByRole("link", { name: "Compare all" })).toHaveAttribute(
    "href",
    "/compare?runs=r1,r2,r3",
  );
  await userEvent.click(screen.getByText("Single seeds"));
  expect(screen.getByRole("link", { name: "seed 1" })).toHaveAttribute("href", "/runs/view?id=r1");
  const ofSeed = screen.getByRole("link", { name: "seed 1" }).closest("li");
  expect(ofSeed, "the measure that the group sums up").toHaveTextContent("100.0");
  expect(screen.getByText("seed 2")).toHaveAttribute("aria-current", "page");
  await userEvent.click(screen.getByRole("switch", { name: "Band of all seeds behind the curve" }));
  expect(onBand).toHaveBeenCalledWith(true);
});

test("a group without a finished episode shows no figure", () => {
  const early = { ...group, iqm: null, low: null, high: null, scored: 0 };
  render(<SeedsCard own="r1" seeds={{ group: early, runs }} band={false} onBand={vi.fn()} />);
  expect(screen.getByText("None of the 3 seeds has finished an episode yet.")).toBeVisible();
});
