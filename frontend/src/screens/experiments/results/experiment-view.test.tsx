import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { ExperimentResults } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { ExperimentView } from "./experiment-view";
import fixture from "./fixture.json";
import { placeIn } from "./forest-plot";

/** As the service made them of five seeds of each of two variants, one of which never reached the threshold. */
const results = fixture as unknown as ExperimentResults;
const ROUTE = "GET /experiments/exp-a/results";

const address = (search: string) => window.history.replaceState(null, "", search);
beforeEach(() => address("?id=exp-a"));

// A canvas is not drawn in these tests.
vi.mock("./result-curves", () => ({ ResultCurves: () => null }));

test("the verdict shows the sentence of the service and its method", async () => {
  serve({ [ROUTE]: () => ({ body: results }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const verdict = await screen.findByRole("region", { name: "Verdict" });
  expect(within(verdict).getByRole("heading")).toHaveTextContent(results.verdict.headline);
  expect(within(verdict).getByRole("button", { name: "What is the verdict?" })).toBeVisible();
});

test("each seed links to its run, and unsolved ones are marked as censored", async () => {
  serve({ [ROUTE]: () => ({ body: results }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const scores = await screen.findByRole("region", { name: "Scores" });
  expect(within(scores).getAllByRole("link")).toHaveLength(10);
  expect(within(scores).getByRole("img", { name: /^PPO: / })).toBeVisible();
  const steps = screen.getByRole("region", { name: "Steps to a return of 475.0" });
  expect(within(steps).getByRole("row", { name: /^DQN/ })).toHaveTextContent(
    /0 of 5MedianFewer than half reached it.*> 4k/,
  );
  const matrix = screen.getByRole("region", { name: "Probability of improvement" });
  expect(within(matrix).getByRole("row", { name: /^DQN/ })).toHaveTextContent("0.00");
});

test("before the first score only the verdict is shown", async () => {
  const variants = results.variants.map((one) => ({ ...one, n: 0, failed: 0, scores: [] }));
  serve({ [ROUTE]: () => ({ body: { ...results, variants, scored: 0, failed: 0 } }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  await screen.findByRole("region", { name: "Verdict" });
  expect(screen.queryByRole("region", { name: "Scores" })).toBeNull();
});

test("another score can be requested and exported", async () => {
  let score: string | null = "";
  serve({
    [ROUTE]: (_, query) => {
      score = query.get("score");
      return { body: results };
    },
  });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  await screen.findByRole("region", { name: "Verdict" });
  await userEvent.selectOptions(screen.getByLabelText("Score"), "best");
  await vi.waitFor(() => expect(score).toBe("best"));
  expect(screen.getByRole("link", { name: "csv" })).toHaveAttribute(
    "href",
    expect.stringMatching(/\/api\/experiments\/exp-a\/export\?score=best&format=csv$/),
  );
});

test("the typed threshold is in the address and applies to scores and exports", async () => {
  address("?id=exp-a&score=best");
  const asked: (string | null)[] = [];
  serve({
    [ROUTE]: (_, query) => {
      asked.push(query.get("threshold"));
      return { body: { ...results, threshold: Number(query.get("threshold") ?? 475) } };
    },
  });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const field = await screen.findByLabelText("Threshold");
  await vi.waitFor(() => expect(field).toHaveValue("475"));
  fireEvent.change(field, { target: { value: "-200" } });
  await vi.waitFor(() => expect(asked).toEqual([null, "-200"]));
  expect(window.location.search).toBe("?id=exp-a&score=best&threshold=-200");
  expect(screen.getByRole("link", { name: "Report" })).toHaveAttribute(
    "href",
    expect.stringMatching(/report\?score=best&threshold=-200$/),
  );
  await userEvent.click(screen.getByRole("button", { name: "Threshold of the environment" }));
  await vi.waitFor(() => expect(window.location.search).toBe("?id=exp-a&score=best"));
});

test("the forest plot has a scale and a dot for each seed", async () => {
  serve({ [ROUTE]: () => ({ body: results }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const scores = await screen.findByRole("region", { name: "Scores" });
  const line = within(scores).getByRole("img", { name: /^PPO: / });
  expect(line.querySelectorAll("[data-seed]")).toHaveLength(5);
  expect(within(scores).getByText(/^threshold 475/)).toBeInTheDocument();
  const std = within(scores)
    .getAllByRole("columnheader")
    .findIndex((one) => /^Std/.test(one.textContent));
  expect(std).toBeGreaterThan(0);
});

test("a figure states its number of scores, also if variants differ", async () => {
  const [ppo, dqn] = results.variants;
  const fewer = { ...dqn!, n: 3, made: { ...dqn!.made, mean: { ...dqn!.made.mean!, n: 3 } } };
  serve({ [ROUTE]: () => ({ body: { ...results, variants: [ppo, fewer] } }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const help = await screen.findByRole("button", { name: "What is Mean?" });
  expect(help).toHaveAccessibleDescription(/^PPO: .*n = 5.*DQN.*n = 3/s);
  const row = screen.getByRole("row", { name: /^DQN .*of 5 seeds/ });
  expect(within(row).getAllByTitle(/n = 3/)).toHaveLength(1);
});

test("on a narrow screen a row expands to all its figures with their methods", async () => {
  serve({ [ROUTE]: () => ({ body: results }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const scores = await screen.findByRole("region", { name: "Scores" });
  const row = within(scores).getByRole("row", { name: /^PPO/ });
  const gap = within(row).getByText("Optimality gap").closest("td")!;
  const cost = within(row).getByText("Core-seconds").closest("td")!;
  expect(gap).toHaveClass("max-md:hidden");
  const opener = within(row).getByRole("button", { name: "All figures of PPO" });
  await userEvent.click(opener);
  for (const cell of [gap, cost]) expect(cell).not.toHaveClass("max-md:hidden");
  await userEvent.click(within(gap).getByRole("button"));
  expect(screen.getByRole("tooltip")).toHaveTextContent(/n = 5/);
  expect(within(cost).getByRole("button")).toHaveAccessibleDescription(/steps in total\. .*core/i);
  await userEvent.click(opener);
  expect(gap).toHaveClass("max-md:hidden");
});

test("a variant is saved as a preset from its row", async () => {
  const sent = serve({
    [ROUTE]: () => ({ body: results }),
    "GET /health": () => ({ body: {} }),
    "POST /experiments/exp-a/keep-as-preset": () => ({
      status: 201,
      body: { title: "PPO", environment: "CartPole-v1" },
    }),
  });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  await userEvent.click(await screen.findByRole("button", { name: "Keep “PPO” as a preset" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(await screen.findByText(/“PPO” is kept/)).toBeVisible();
  expect(sent.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    variant: results.variants[0]!.variant,
    title: "PPO",
  });
});

test("a missing experiment is reported", async () => {
  const body = { title: "No such experiment", detail: "There is no experiment exp-a." };
  const missing = () => ({ status: 404, body });
  serve({ [ROUTE]: missing, "GET /experiments/exp-a": missing });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  expect(await screen.findByRole("alert")).toHaveTextContent("There is no experiment exp-a.");
});

test("a forest plot with one distinct value centres it", () => {
  expect(placeIn(5, 5, 5)).toBe(50);
  expect(placeIn(5, 0, 20)).toBe(25);
});
