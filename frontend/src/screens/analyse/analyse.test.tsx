import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { goTo } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { Analyse } from "./analyse";

const column = (name: string, kind: string) => ({ name, kind, type: "X", description: "" });
const schema = {
  tables: [{ name: "runs", columns: [column("algo", "text"), column("fps", "number")] }],
  settings: ["algo", "env_id", "hp_gamma"],
  measures: ["best_moving_average", "fps"],
};
const box = {
  ...{ low: 1, lower_quartile: 2, median: 3, upper_quartile: 4, high: 5, beyond: 1 },
  outliers: [{ run_id: "ppo-odd", value: 9 }],
};
const figures = { iqm: 3, low: 2.5, high: 3.5, mean: 3, median: 3, std: 1, box };
const raw = { environments: [], normalised: [], is_normalised: false, notes: [] };
const groups = {
  scale: raw,
  ...{ by: ["algo"], measure: "best_moving_average", runs: 12, left_out: 0 },
  groups: [
    { key: ["ppo"], runs: 8, count: 7, ...figures },
    { key: [null], runs: 4, count: 0, iqm: null, low: null, high: null, box: null },
  ],
};

test("each group has its figures and links its outliers to their runs", async () => {
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "GET /analytics/groups": () => ({ body: groups }),
  });
  renderWithQueries(<Analyse />);
  const card = await screen.findByRole("region", { name: "best_moving_average by algo" });
  const [first, second] = within(card).getAllByRole("listitem");
  expect(first).toHaveTextContent("ppo7 of 8 runs with a value");
  expect(within(first!).getByRole("img", { name: /^ppo: median 3/ })).toBeVisible();
  expect(within(first!).getByRole("link", { name: /ppo-odd/ })).toHaveAttribute(
    "href",
    "/runs/view?id=ppo-odd",
  );
  expect(second).toHaveTextContent("none");
});

const mixed = {
  is_normalised: true,
  environments: [
    { title: "CartPole-v1", env_id: "CartPole-v1", runs: 8 },
    { title: "Acrobot-v1", env_id: "Acrobot-v1", runs: 4 },
  ],
  normalised: [],
  notes: ["Scores are normalised.", "2 runs of Pendulum-v1 are left out."],
};

test("returns of several environments say how they are normalised, and one environment can be chosen", async () => {
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "GET /analytics/groups": () => ({ body: { ...groups, scale: mixed } }),
  });
  renderWithQueries(<Analyse />);
  await screen.findByRole("region", { name: "best_moving_average (normalised) by algo" });
  expect(
    screen.getByText("Scores are normalised. 2 runs of Pendulum-v1 are left out."),
  ).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Acrobot-v1" }));
  expect(window.location.search).toContain("env_id=Acrobot-v1");
});

test("without normalisable returns the page says why, and one environment can be chosen", async () => {
  const nothing = groups.groups.map((group) => ({ ...group, iqm: null, box: null }));
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "GET /analytics/groups": () => ({ body: { ...groups, groups: nothing, scale: mixed } }),
  });
  renderWithQueries(<Analyse />);
  expect(await screen.findByText(/2 runs of Pendulum-v1 are left out/)).toBeVisible();
  expect(screen.getByRole("button", { name: "CartPole-v1" })).toBeVisible();
});

test("a filter that matches nothing says so", async () => {
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "GET /analytics/groups": () => ({ body: { ...groups, groups: [], runs: 0 } }),
  });
  renderWithQueries(<Analyse />);
  expect(await screen.findByText(/No run matches/)).toBeVisible();
});

test("an SQL error is shown and its position selected", async () => {
  goTo("/analyse?view=sql&sql=SELECT+nam+FROM+runs");
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "POST /analytics/query": () => ({
      status: 422,
      body: {
        ...{ title: "Query cannot be answered", status: 422, detail: "No column nam." },
        errors: [{ pointer: "/sql", detail: "No column nam.", position: 7 }],
      },
    }),
  });
  renderWithQueries(<Analyse />);
  expect(await screen.findByRole("alert")).toHaveTextContent("No column nam.");
  await userEvent.click(screen.getByRole("button", { name: "Show the error" }));
  const text = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "SQL" });
  expect([text.selectionStart, text.selectionEnd]).toEqual([7, 8]);
});

test("a result is shown with its notes", async () => {
  goTo("/analyse?view=sql&sql=SELECT+1");
  const answer = {
    ...{ columns: ["id", "score"], types: ["VARCHAR", "DOUBLE"], rows: [["ppo-a", null]] },
    ...{ truncated: true, seconds: 0.01, notes: ["Not all of it."] },
  };
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "POST /analytics/query": () => ({ body: answer }),
  });
  renderWithQueries(<Analyse />);
  const card = await screen.findByRole("region", { name: "The first 1 row" });
  expect(card).toHaveTextContent("Not all of it.");
  expect(within(card).getByRole("link", { name: "ppo-a" })).toBeVisible();
});

test("the charts have curves before the groups, and an environment of the runs can be chosen", async () => {
  const none = { drawn: 0, runs: 0, curves: { variants: [], x: [], axis: "step" }, scale: raw };
  const asked = serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "GET /analytics/curves": () => ({ body: none }),
    "GET /analytics/groups": (_, query) => ({
      body:
        query.get("by") === "env_id"
          ? {
              ...groups,
              groups: [
                { key: ["CartPole-v1"], runs: 8 },
                { key: ["Acrobot-v1"], runs: 4 },
              ],
            }
          : groups,
    }),
  });
  renderWithQueries(<Analyse />);
  const environment = await screen.findByLabelText("Environment to analyse");
  expect(within(environment).getByText("All environments, normalised")).toBeInTheDocument();
  await userEvent.selectOptions(environment, await screen.findByText("Acrobot-v1 (4 runs)"));
  expect(window.location.search).toContain("env_id=Acrobot-v1");
  expect(asked.filter(({ route }) => route.includes("curves"))).not.toEqual([]);
});

test("only runs selected elsewhere are queried", async () => {
  goTo("/analyse?runs=ppo-a,dqn-b");
  const asked: (string | null)[] = [];
  serve({
    "GET /analytics/schema": () => ({ body: schema }),
    "GET /analytics/groups": (_, query) => {
      asked.push(query.get("run"));
      return { body: groups };
    },
  });
  renderWithQueries(<Analyse />);
  expect(await screen.findByText("2 selected runs only")).toBeVisible();
  expect(screen.getByRole("link", { name: "Compare them" })).toHaveAttribute(
    "href",
    "/compare?runs=ppo-a,dqn-b",
  );
  expect(new Set(asked)).toEqual(new Set(["ppo-a,dqn-b"]));
});
