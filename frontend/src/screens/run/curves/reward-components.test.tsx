import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ChartGroup } from "@/charts/chart-group";
import { DEFAULT_CHART_SETTINGS } from "@/charts/chart-settings";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { RunSeries } from "@/stream/series/run-series";
import { RewardComponents } from "./reward-components";

const metric = (name: string, component: string, of_environment = true) => ({
  ...{ name: `reward/${name}`, label: `Reward: ${name}`, component, of_environment },
  ...{ help: "", group: "reward" },
});
const DEFINITIONS = {
  groups: [{ id: "reward", title: "Reward components" }],
  metrics: [metric("goal", "Goal"), metric("coverage", "Coverage bonus", false)],
};
const METRICS = ["reward/goal", "reward/fuel", "reward/coverage"];

test("the legend shows shares and values, marks bonuses and hides a component", async () => {
  serve({ "GET /metric-definitions": () => ({ body: DEFINITIONS }) });
  const series = new RunSeries();
  const values = { "reward/goal": 6, "reward/fuel": -2, "reward/coverage": 2 };
  series.append([1, 2].map((seq) => ({ seq, time: seq, step: 10 * seq, values })));
  renderWithQueries(
    <RewardComponents
      series={series}
      metrics={METRICS}
      settings={{ ...DEFAULT_CHART_SETTINGS, smoothing: 0 }}
      group={new ChartGroup()}
      height={160}
      highlight={null}
    />,
  );
  const legend = within(screen.getByRole("list", { name: "Components" }));
  const goal = await legend.findByRole("button", { name: /^Goal 60% 6/ });
  expect(legend.getByRole("button", { name: /^Fuel 20% -2/ })).toBeVisible();
  const bonus = await legend.findByText("not of the environment");
  expect(bonus.closest("li")).toHaveTextContent("Coverage bonus");
  expect(screen.getByRole("img", { name: /up to step 20: Goal 6.*; sum 6/ })).toBeVisible();
  await userEvent.click(goal);
  expect(goal).toHaveAttribute("aria-pressed", "false");
  expect(legend.getByRole("button", { name: /^Fuel 50%/ })).toBeVisible();
});
