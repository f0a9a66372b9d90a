import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ExperimentResults } from "@/lib/api";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { ExperimentView } from "./experiment-view";
import fixture from "./fixture.json";
import { placeIn } from "./forest-plot";

/** As the service made them of five seeds of each of two variants, one of which never reached the threshold. */
const results = fixture as unknown as ExperimentResults;
const ROUTE = "GET /experiments/exp-a/results";

// A canvas is not drawn in these tests.
vi.mock("./result-curves", () => ({ ResultCurves: () => null }));

test("the verdict says what the service says, with how it was made", async () => {
  serve({ [ROUTE]: () => ({ body: results }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const verdict = await screen.findByRole("region", { name: "Verdict" });
  expect(within(verdict).getByRole("heading")).toHaveTextContent(results.verdict.headline);
  expect(within(verdict).getByRole("button", { name: "What is the verdict?" })).toBeVisible();
});

test("each seed leads to its run, and those that never got there are told as censored", async () => {
  serve({ [ROUTE]: () => ({ body: results }) });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  const scores = await screen.findByRole("region", { name: "Scores" });
  expect(within(scores).getAllByRole("link")).toHaveLength(10);
  expect(within(scores).getByRole("img", { name: /^PPO: / })).toBeVisible();
  const steps = screen.getByRole("region", { name: "Steps to a return of 475.0" });
  expect(within(steps).getByRole("row", { name: /^DQN/ })).toHaveTextContent(
    /0 of 5Fewer than half did.*> 4k/,
  );
  const matrix = screen.getByRole("region", { name: "Probability of improvement" });
  expect(within(matrix).getByRole("row", { name: /^DQN/ })).toHaveTextContent("0.00");
});

test("another score is asked for, and exported", async () => {
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

test("an experiment that does not exist is said so", async () => {
  const body = { title: "No such experiment", detail: "There is no experiment exp-a." };
  const missing = () => ({ status: 404, body });
  serve({ [ROUTE]: missing, "GET /experiments/exp-a": missing });
  renderWithQueries(<ExperimentView id="exp-a" folded={false} />);
  expect(await screen.findByRole("alert")).toHaveTextContent("There is no experiment exp-a.");
});

test("a forest plot whose values are all one has it in the middle", () => {
  expect(placeIn(5, 5, 5)).toBe(50);
  expect(placeIn(5, 0, 20)).toBe(25);
});
