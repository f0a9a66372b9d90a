import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ExperimentResults } from "@/api/types";
import { renderWithQueries } from "@/lib/testing/service";
import fixture from "./fixture.json";
import { MethodTable } from "./method-table";
import { ProfileCard } from "./profile-card";
import { ScoreTable } from "./score-table";
import { arrivalLines, StepsTable } from "./steps-table";

const alone = fixture as unknown as ExperimentResults;

/** The same with both variants as methods, over two environments. */
const several: ExperimentResults = {
  ...alone,
  across: {
    environments: [
      { environment: "CartPole-v1", random_return: 23.8, threshold: 475 },
      { environment: "Acrobot-v1", random_return: -498.8, threshold: -100 },
    ],
    left_out: [],
    methods: alone.variants.map((one, place) => ({
      ...one,
      ...{ variant: `m${place}`, label: `${one.label} everywhere`, n: 10, iqm: 0.75, std: null },
    })),
    forest: {
      ...{ minimum: 0, maximum: 1, reference: 1 },
      rows: alone.forest.rows.map((row, place) => ({
        ...row,
        ...{ variant: `m${place}`, label: `${row.label} everywhere`, iqm: 0.75 },
      })),
    },
  },
  profiles: {
    ...alone.profiles,
    variants: alone.profiles.variants.map((one, place) => ({ ...one, variant: `m${place}` })),
  },
};

test("methods over several environments have normalised scores and explain 0 and 1", () => {
  render(<MethodTable results={several} />);
  const card = screen.getByRole("region", { name: "Scores over 2 environments" });
  expect(card).toHaveTextContent(
    "0 is the mean return of random actions, 1 the threshold of the environment: 23.8 and 475.0 on CartPole-v1; -498.8 and -100.0 on Acrobot-v1.",
  );
  const row = within(card).getByRole("row", { name: /^PPO everywhere 10 scores/ });
  expect(row).toHaveTextContent("0.7500");
  expect(within(card).getByRole("img", { name: /^PPO everywhere: 0.7500/ })).toBeVisible();
  expect(within(card).queryByRole("columnheader", { name: /^Std/ })).not.toBeInTheDocument();
});

test("returns of different environments are never in one forest plot", () => {
  renderWithQueries(<ScoreTable experiment="exp-a" results={several} />);
  const card = screen.getByRole("region", { name: "Scores on each environment" });
  expect(within(card).queryByText("Forest plot")).not.toBeInTheDocument();
  expect(within(card).queryByRole("img")).not.toBeInTheDocument();
});

test("profiles show normalised scores by method", () => {
  render(<ProfileCard results={several} />);
  expect(screen.getByLabelText(/above each normalised score, of 2 variants/)).toBeVisible();
  expect(screen.getAllByText(/^PPO everywhere/)[0]).toBeVisible();
});

test("variants and methods are listed best first, with missing scores last", () => {
  const [ppo, dqn] = several.variants;
  const [one, other] = several.across!.methods;
  const turned: ExperimentResults = {
    ...several,
    variants: [
      { ...ppo!, variant: "none", label: "None", ...{ rank: null, n: 0, scores: [] } },
      { ...ppo!, rank: 2 },
      { ...dqn!, label: "DQN", rank: 1 },
    ],
    across: {
      ...several.across!,
      methods: [
        { ...one!, rank: 2 },
        { ...other!, label: "DQN everywhere", rank: 1 },
      ],
    },
  };
  const order = (name: string) =>
    within(screen.getByRole("region", { name }))
      .getAllByRole("rowheader")
      .map((head) => head.firstChild?.textContent);
  renderWithQueries(
    <>
      <MethodTable results={turned} />
      <ScoreTable experiment="exp-a" results={turned} />
      <StepsTable results={turned} />
    </>,
  );
  expect(order("Scores over 2 environments")).toEqual(["DQN everywhere", "PPO everywhere"]);
  expect(order("Scores on each environment")).toEqual(["DQN", "PPO", "None"]);
  expect(order("Steps to a return of 475.0")).toEqual(["DQN", "PPO"]);
  expect(arrivalLines(turned).map(({ id, style }) => [id, style])).toEqual([
    ["dqn", 2],
    ["ppo", 1],
  ]);
});

test("quartiles are next to the median with their method", () => {
  const [ppo, dqn] = alone.variants;
  const lower = { ...ppo!.made.median!, definition: "A quarter lies below." };
  const withQuartiles = {
    ...ppo!,
    ...{ median: 480, lower_quartile: 470, upper_quartile: 490.5 },
    made: { ...ppo!.made, lower_quartile: lower },
  };
  renderWithQueries(
    <ScoreTable experiment="exp-a" results={{ ...alone, variants: [withQuartiles, dqn!] }} />,
  );
  const cell = screen.getByRole("cell", { name: /480.0 \[470.0, 490.5\]/ });
  expect(cell).toHaveAttribute("title", expect.stringMatching(/A quarter lies below/));
});

test("one environment has no methods", () => {
  const { container } = render(<MethodTable results={alone} />);
  expect(container).toBeEmptyDOMElement();
});

test("steps are counted to the threshold of the environment of each variant", () => {
  const [ppo, dqn] = alone.thresholds!.variants;
  const own: ExperimentResults = {
    ...several,
    variants: [several.variants[0]!, { ...several.variants[1]!, environment: "Acrobot-v1" }],
    threshold: null,
    thresholds: {
      threshold: null,
      variants: [
        { ...ppo!, threshold: 475 },
        { ...dqn!, threshold: -100 },
      ],
    },
  };
  render(<StepsTable results={own} />);
  const card = screen.getByRole("region", { name: "Steps to the threshold of each environment" });
  expect(within(card).getByRole("row", { name: /^PPO/ })).toHaveTextContent("475.0 on CartPole-v1");
  expect(within(card).getByRole("row", { name: /^DQN/ })).toHaveTextContent("-100.0 on Acrobot-v1");
  expect(within(card).getByRole("cell", { name: /0 of 5$/ })).toHaveAttribute(
    "title",
    expect.stringMatching(/^Seeds that reached the threshold, .*\(n = 5;.* source: Kaplan/),
  );
});

test("seeds of a variant with very many trials are one text and one mark", () => {
  render(<StepsTable results={{ ...alone, trials: 1_000 }} />);
  const card = screen.getByRole("region", { name: "Steps to a return of 475.0" });
  expect(card.querySelectorAll("td li")).toHaveLength(0);
  expect(within(card).getByRole("row", { name: /^DQN/ })).toHaveTextContent("> 4k, > 4k, > 4k");
  expect(
    within(card).getAllByText("5 seeds: threshold not reached when training ended"),
  ).toHaveLength(1);
});
