import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Run } from "@/lib/api";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { RunList } from "./run-list";

let search = "";
vi.mock("next/navigation", () => ({ useSearchParams: () => new URLSearchParams(search) }));

const run = (id: string, change: Partial<Run> = {}): Run => ({
  id,
  name: `Run ${id}`,
  algo: "ppo",
  env_id: "CartPole-v1",
  preset: "fast",
  seed: 7,
  total_timesteps: 1000,
  env_options: {},
  status: "running",
  cause: null,
  traceback: null,
  created_at: new Date().toISOString(),
  queued_at: null,
  started_at: null,
  ended_at: null,
  step: 250,
  episodes: 10,
  ep_rew_mean: 21.5,
  ep_len_mean: 21.5,
  fps: 100,
  best_moving_average: null,
  best_moving_average_step: null,
  sparkline: [],
  policy_step: null,
  best_policy: null,
  ended_early: null,
  queue_position: null,
  warnings: 0,
  last_warning: null,
  tags: [],
  notes: "",
  ...change,
});
const page = (runs: Run[], next_cursor: string | null = null) => ({
  body: { runs, next_cursor, total: runs.length },
});

beforeEach(() => {
  search = "";
});

test("an empty list says what to do first", async () => {
  serve({ "GET /runs": () => page([]) });
  renderWithQueries(<RunList />);
  expect(screen.getByRole("status", { name: "Loading runs" })).toBeVisible();
  expect(await screen.findByText("No runs yet")).toBeVisible();
});

test("a filter that matches nothing can be cleared", async () => {
  search = "q=zzz&status=failed";
  serve({ "GET /runs": () => page([]) });
  renderWithQueries(<RunList />);
  expect(await screen.findByRole("button", { name: "Clear filters" })).toBeVisible();
  expect(screen.getByRole("searchbox")).toHaveValue("zzz");
  expect(screen.getByLabelText("Filter by status")).toHaveValue("failed");
});

test("the filter in the address is what the service is asked for", async () => {
  search = "q=cart&status=failed";
  let asked = "";
  serve({
    "GET /runs": (_, query) => {
      asked = query.toString();
      return page([]);
    },
  });
  renderWithQueries(<RunList />);
  await screen.findByText("No run matches");
  expect(asked).toBe("q=cart&status=failed&status=interrupted&limit=30");
});

test("a service that is away is said so, and can be asked again", async () => {
  serve({});
  renderWithQueries(<RunList />);
  expect(await screen.findByRole("alert")).toHaveTextContent("The service does not answer");
  serve({ "GET /runs": () => page([run("a")]) });
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Run a")).toBeVisible();
});

test("a run shows its status in a word, its progress and its mean return", async () => {
  serve({ "GET /runs": () => page([run("a")]) });
  renderWithQueries(<RunList />);
  const line = await screen.findByRole("link", { name: /Run a/ });
  expect(line).toHaveAttribute("href", "/runs/view?id=a");
  expect(line).toHaveTextContent("running");
  expect(line).toHaveTextContent("Mean return 21.5");
  expect(screen.getByRole("progressbar", { name: "Progress of Run a" })).toHaveAttribute(
    "aria-valuenow",
    "25",
  );
});

test("more runs are loaded from where the first page ended", async () => {
  serve({
    "GET /runs": (_, query) =>
      query.get("cursor") === "next" ? page([run("b")]) : page([run("a")], "next"),
  });
  renderWithQueries(<RunList />);
  await userEvent.click(await screen.findByRole("button", { name: "Load more" }));
  expect(await screen.findByText("Run b")).toBeVisible();
  expect(screen.getByText("Run a")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Load more" })).not.toBeInTheDocument();
});

test("a page that does not come says so, and can be asked for again", async () => {
  let away = true;
  serve({
    "GET /runs": (_, query) => {
      if (query.get("cursor") !== "next") return page([run("a")], "next");
      return away ? { status: 503, body: { title: "Too busy" } } : page([run("b")]);
    },
  });
  renderWithQueries(<RunList />);
  const more = await screen.findByRole("button", { name: "Load more" });
  await userEvent.click(more);
  expect(await screen.findByRole("alert")).toHaveTextContent("Too busy");
  away = false;
  await userEvent.click(more);
  expect(await screen.findByText("Run b")).toBeVisible();
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
});
