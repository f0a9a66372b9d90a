import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { RunSeries } from "@/stream/series/run-series";
import { Boundary } from "@/ui/boundary";
import { RunNotices } from "./notices";
import { RunDashboard, tabTitle } from "./run-dashboard";
import { RunFacts } from "./run-facts";

const run = (change: Partial<RunDetail>) =>
  ({
    ...{
      actor: "policy",
      status: "running",
      warnings: 0,
      cause: null,
      traceback: null,
      damage: [],
    },
    ...change,
  }) as RunDetail;

test("a failed run shows its cause and its traceback", () => {
  renderWithQueries(
    <RunNotices
      run={run({ status: "failed", cause: "Killed by signal 9", traceback: "File x" })}
    />,
  );
  expect(screen.getByText("Killed by signal 9")).toBeVisible();
  expect(screen.getByText("File x")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Copy traceback" })).toBeVisible();
});

test("an interrupted run says what was saved and links to its log", async () => {
  const cut = { id: "a", status: "interrupted", cause: "Killed", step: 1234, policy_step: 1000 };
  renderWithQueries(<RunNotices run={run(cut as Partial<RunDetail>)} />);
  expect(screen.getByRole("alert")).toHaveTextContent(
    "the curves up to step 1,234 and the policy of step 1,000",
  );
  expect(screen.getByRole("link", { name: /Train again/ })).toHaveAttribute(
    "href",
    "/?duplicate=a",
  );
  await userEvent.click(screen.getByRole("button", { name: "Open worker.log" }));
  expect(new URLSearchParams(window.location.search).get("details")).toBe("log");
});

test("a run of another program offers no worker log", () => {
  const cut = { id: "a", actor: "foreign", status: "interrupted", cause: "Killed" };
  renderWithQueries(<RunNotices run={run(cut as Partial<RunDetail>)} />);
  expect(screen.getByRole("alert")).toHaveTextContent("Killed");
  expect(screen.queryByRole("button", { name: /worker.log/ })).not.toBeInTheDocument();
});

test("a queued run shows its position", () => {
  renderWithQueries(<RunNotices run={run({ status: "queued", queue_position: 2 })} />);
  expect(screen.getByRole("status")).toHaveTextContent("as soon as another run ends");
  expect(screen.getByRole("status")).toHaveTextContent("Number 2 in the queue");
});

test("a queued run that waits for more than a slot says what for", () => {
  renderWithQueries(
    <RunNotices run={run({ status: "queued", queue_position: 1, cause: "Only 3 MB are free" })} />,
  );
  expect(screen.getByRole("status")).toHaveTextContent("space on the disk. Only 3 MB are free");
});

test("warnings are counted and the last one is quoted", () => {
  renderWithQueries(<RunNotices run={run({ warnings: 2, last_warning: "train/loss was NaN" })} />);
  expect(screen.getByText("2 warnings")).toBeVisible();
  expect(screen.getByText("train/loss was NaN")).toBeVisible();
});

test("a run too short to learn says so", () => {
  renderWithQueries(<RunNotices run={run({ length_note: "It learns nothing." })} />);
  expect(screen.getByText("Too short to learn")).toBeVisible();
  expect(screen.getByText("It learns nothing.")).toBeVisible();
});

test("a run of a newer version says so and offers no repair", () => {
  const damage = [
    { file: "config.json", line: null, problem: "Schema 9.", remedy: "Look at it.", newer: true },
  ];
  renderWithQueries(<RunNotices run={run({ id: "a", status: "completed", damage })} />);
  expect(screen.getByRole("alert")).toHaveTextContent(
    "A newer version wrote this runconfig.json: Schema 9. Look at it.",
  );
  expect(screen.queryByRole("button", { name: /Repair/ })).toBeNull();
});

test("a damaged run says what is unreadable and what can be done, and is repaired on request", async () => {
  const damage = [
    { file: "events.jsonl", line: 3, problem: "It is no JSON.", remedy: "Repair it." },
  ];
  const asked = serve({ "POST /runs/a/repair": () => ({ body: { id: "a" } }) });
  renderWithQueries(<RunNotices run={run({ id: "a", status: "completed", damage })} />);
  expect(screen.getByRole("alert")).toHaveTextContent(
    "events.jsonl, line 3: It is no JSON. Repair it.",
  );
  await userEvent.click(screen.getByRole("button", { name: /Repair/ }));
  expect(asked.map(({ route }) => route)).toContain("POST /runs/a/repair");
});

test("a healthy run has no notices", () => {
  const { container } = renderWithQueries(<RunNotices run={run({})} />);
  expect(container).toBeEmptyDOMElement();
});

test.each([
  ["foreign", "completed", 0, "episodes are not recorded"],
  ["foreign", "running", 0, "0 episodes"],
  ["foreign", "completed", 12, "12 episodes"],
  ["policy", "completed", 0, "0 episodes"],
] as const)("a %s run, %s, with %d episodes has %s", (actor, status, episodes, text) => {
  const facts = { ...{ step: 100, end_step: 100, solved: null, reward_threshold: null } };
  renderWithQueries(
    <RunFacts run={run({ actor, status, episodes, ...facts })} series={new RunSeries()} />,
  );
  expect(screen.getByText("Return now").parentElement).toHaveTextContent(text);
});

test("an unknown run says so", async () => {
  serve({ "GET /runs/gone": () => ({ status: 404, body: { title: "No such run" } }) });
  renderWithQueries(<RunDashboard id="gone" />);
  expect(screen.getByRole("status", { name: "Loading the run" })).toBeVisible();
  expect(await screen.findByText("This run does not exist")).toBeVisible();
});

test("an unreachable service can be retried", async () => {
  serve({});
  renderWithQueries(<RunDashboard id="a" />);
  expect(await screen.findByRole("button", { name: "Try again" })).toBeVisible();
});

test("the tab title of a training run shows its progress", () => {
  const named = { name: "PPO on CartPole", step: 34, end_step: 100 };
  expect(tabTitle(run(named))).toBe("34% PPO on CartPole");
  expect(tabTitle(run({ ...named, status: "stopped" }))).toBe("PPO on CartPole");
  expect(tabTitle(run({ ...named, step: 0, status: "starting" }))).toBe(
    "Starting… PPO on CartPole",
  );
});

test("a starting run counts no time and a training one does", () => {
  const at = new Date(Date.now() - 65_000).toISOString();
  const figures = { step: 0, end_step: 100, fps: null, episodes: 0, reward_threshold: null };
  const none = { best_moving_average_step: null, best_policy: null, ended_at: null };
  const facts = (change: Partial<RunDetail>) => (
    <RunFacts run={run({ ...figures, ...none, ...change })} series={new RunSeries()} />
  );
  const { rerender } = renderWithQueries(facts({ status: "starting", started_at: null }));
  expect(screen.getByText("Progress").parentElement).toHaveTextContent("starting…");
  rerender(facts({ status: "running", started_at: at }));
  expect(screen.getByText("Progress").parentElement).toHaveTextContent(/1m 0\ds/);
});

test("a failing part leaves the rest of the page working", () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const Broken = (): never => {
    throw new Error("no canvas");
  };
  render(
    <>
      <button>Stop</button>
      <Boundary what="The chart">
        <Broken />
      </Boundary>
    </>,
  );
  expect(screen.getByRole("button", { name: "Stop" })).toBeVisible();
  expect(screen.getByRole("alert")).toHaveTextContent("The chart could not be shown");
});

test.each([
  ["running", "Return now77.4"],
  ["completed", "Return now74.1"],
] as const)("the mean return of a run that is %s equals that of its chart", (status, text) => {
  const facts = { ...{ step: 100, end_step: 100, solved: null, reward_threshold: null } };
  const series = new RunSeries();
  series.append([{ seq: 1, step: 100, time: 0, values: { "rollout/ep_rew_mean": 77.4 } }]);
  renderWithQueries(
    <RunFacts run={run({ status, ep_rew_mean: 74.1, ...facts })} series={series} />,
  );
  expect(screen.getByText("Return now").parentElement).toHaveTextContent(text);
});
