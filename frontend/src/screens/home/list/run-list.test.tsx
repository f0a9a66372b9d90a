import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Run, SeedGroup } from "@/api/types";
import { goTo, push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { toastStore } from "@/ui/toast";
import { RunList } from "./run-list";

const run = (id: string, change: Partial<Run> = {}) =>
  ({
    id,
    group_id: id,
    name: `Run ${id}`,
    algo: "ppo",
    env_id: "CartPole-v1",
    preset: "fast",
    seed: 7,
    end_step: 1000,
    actor: "policy",
    status: "running",
    created_at: new Date().toISOString(),
    started_at: null,
    ended_at: null,
    step: 250,
    fps: 100,
    best_moving_average: 481.5,
    solved: { step: 240, seconds: 3, by: "training" },
    sparkline: [20, 300, 481.5],
    queue_position: null,
    tags: ["paper"],
    notes: "",
    damage: [],
    ...change,
  }) as Run;

const page =
  (runs: Run[], total = runs.length, groups: SeedGroup[] = []) =>
  () => ({
    body: { runs, groups, next_cursor: null, total, total_runs: total, trials: 0, training: 0 },
  });
const environments = () => ({
  body: [{ id: "CartPole-v1", reward_threshold: 475, options: [], variants: [] }],
});

const show = (routes: Parameters<typeof serve>[0]) => {
  const asked = serve({ "GET /environments": environments, ...routes });
  renderWithQueries(<RunList onNew={vi.fn()} onImport={vi.fn()} onDuplicate={vi.fn()} />);
  return asked;
};
const line = (name: RegExp) => screen.findByRole("row", { name });

beforeEach(() => {
  window.history.replaceState(null, "", "/");
  vi.stubGlobal("scrollTo", vi.fn());
});

test("an empty list explains itself, and one click trains CartPole with PPO", async () => {
  const asked = show({
    "GET /runs": page([]),
    "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }),
  });
  await userEvent.click(await screen.findByRole("button", { name: "Train CartPole with PPO" }));
  expect(asked.find(({ route }) => route === "POST /runs")?.body).toMatchObject({
    algo: "ppo",
    env_id: "CartPole-v1",
    start: true,
  });
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/runs/view?id=ppo-a"));
});

test("the request matches the address", async () => {
  goTo("/?q=cart&status=failed&tag=a&tag=b&sort=-best_moving_average");
  let query = "";
  show({
    "GET /runs": (_, asked) => {
      query = asked.toString();
      return page([])();
    },
  });
  expect(await screen.findByText("No run matches")).toBeVisible();
  expect(screen.getByRole("searchbox")).toHaveValue("cart");
  expect(query).toBe(
    "q=cart&status=failed&tag=a&tag=b&sort=-best_moving_average&grouped=true" +
      "&training_first=true&without_trials=true&limit=60&offset=0",
  );
});

test("an unreachable service is reported and can be retried", async () => {
  show({});
  expect(await screen.findByRole("alert")).toHaveTextContent("The service does not answer");
  serve({ "GET /environments": environments, "GET /runs": page([run("a")]) });
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await line(/Run a/)).toBeVisible();
});

test("a row shows progress, duration and return, and the list shows its count", async () => {
  show({ "GET /runs": page([run("a")], 10_000) });
  const row = await line(/Run a/);
  expect(screen.getByRole("grid", { name: "Runs" })).toHaveAttribute("aria-rowcount", "10001");
  expect(row).toHaveTextContent("running");
  expect(row).toHaveTextContent("25%7s left");
  expect(row).toHaveTextContent("481.5");
  expect(within(row).getByText("paper")).toBeVisible();
  expect(
    within(row).getByRole("img", { name: "Solved by training at step 240, after 3s" }),
  ).toBeVisible();
  expect(within(row).getByRole("link", { name: "Run a" })).toHaveAttribute(
    "href",
    "/runs/view?id=a",
  );
});

test("a run with a starting worker says so and shows no time left", async () => {
  show({ "GET /runs": page([{ ...run("a"), status: "starting", step: 0, started_at: null }]) });
  const row = await line(/Run a/);
  expect(row).toHaveTextContent(/Starting….*steps/);
  expect(row).not.toHaveTextContent("left");
});

test("two selected runs can be compared; keys select, move and open", async () => {
  show({ "GET /runs": page([run("a"), run("b"), run("c")]) });
  (await line(/Run a/)).focus();
  await userEvent.keyboard("xjx");
  expect(await screen.findByRole("link", { name: "Compare" })).toHaveAttribute(
    "href",
    "/compare?runs=a,b",
  );
  expect(await line(/Run b/)).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("region", { name: "Selected runs" })).not.toBeInTheDocument();
  await userEvent.keyboard("{End}{Enter}");
  expect(push).toHaveBeenLastCalledWith("/runs/view?id=c");
});

test("the shortcuts of the list work anywhere on the page, but not while typing", async () => {
  show({ "GET /runs": page([run("a"), run("b")]) });
  await line(/Run a/);
  const search = screen.getByRole("searchbox");
  search.focus();
  await userEvent.keyboard("jx");
  expect(search).toHaveValue("jx");
  search.blur();
  await userEvent.keyboard("x");
  expect(await screen.findByText(/1 run\b/)).toBeVisible();
  await userEvent.keyboard("j");
  expect(await line(/Run a/)).toHaveFocus();
  await userEvent.keyboard("j");
  expect(await line(/Run b/)).toHaveFocus();
  await userEvent.keyboard("m");
  expect(await screen.findByRole("menuitem", { name: "Duplicate…" })).toBeInTheDocument();
});

test("shift selects all since the last selection, and the header selects all", async () => {
  show({ "GET /runs": page([run("a"), run("b"), run("c"), run("d")]) });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("checkbox", { name: "Select Run a" }));
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Select Run c" }));
  await user.keyboard("{/Shift}");
  expect(await screen.findByText(/3 runs/)).toBeVisible();
  await user.click(screen.getByRole("checkbox", { name: "Clear the selection" }));
  await user.click(screen.getByRole("checkbox", { name: "Select all 4 runs" }));
  expect(await screen.findByText(/4 runs/)).toBeVisible();
});

test("a run is deleted immediately and can be restored", async () => {
  const asked = show({
    "GET /runs": page([run("a", { status: "completed" })]),
    "DELETE /runs/a": () => ({ body: null }),
    "POST /runs/a/restore": () => ({ body: run("a") }),
  });
  (await line(/Run a/)).focus();
  await userEvent.keyboard("{Delete}");
  await vi.waitFor(() => expect(toastStore.get().at(-1)?.title).toBe("Deleted “Run a”"));
  toastStore.get().at(-1)?.action?.onAction();
  await vi.waitFor(() => expect(toastStore.get().at(-1)?.title).toBe("Restored “Run a”"));
  const did = asked.map(({ route }) => route).filter((route) => !route.startsWith("GET"));
  expect(did).toEqual(["DELETE /runs/a", "POST /runs/a/restore"]);
});

test("clicking a column title sorts by it", async () => {
  const replace = vi.spyOn(window.history, "replaceState");
  show({ "GET /runs": page([run("a")]) });
  await line(/Run a/);
  expect(screen.getByRole("columnheader", { name: "Age" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await userEvent.click(screen.getByRole("button", { name: "Best average" }));
  expect(replace).toHaveBeenLastCalledWith(null, "", "/?sort=-best_moving_average");
});

const group = {
  id: "a",
  run_ids: ["a", "b", "c"],
  statuses: { running: 2, completed: 1 },
  step: 1500,
  end_step: 3000,
  solved: 1,
  sparklines: [[1, 2], [2, 3], []],
  ended: 1,
  scored: 3,
  ...{ iqm: 301.5, low: 270, high: 333 },
  best: { scored: 3, iqm: 461.2, low: 420, high: 492.1, definition: "IQM of the best averages." },
} as unknown as SeedGroup;

function showGroup() {
  const seeds = ["a", "b", "c"].map((id, seed) => run(id, { group_id: "a", seed }));
  show({
    "GET /runs": (_, asked) =>
      asked.has("group")
        ? page(seeds, 3, [group])()
        : page([run("a", { name: "Seeds" }), run("z")], 2, [group])(),
  });
}

test("a group is one row with intervals and expands to its seeds", async () => {
  showGroup();
  const row = await line(/Seeds/);
  expect(screen.getByRole("treegrid", { name: "Runs" })).toHaveAttribute("aria-rowcount", "3");
  expect(row).toHaveTextContent(/461\.2.*\[420\.0, 492\.1\]/);
  expect(within(row).getByText("461.2").closest("[title]")).toHaveAttribute(
    "title",
    "461.2 [420.0, 492.1]. IQM of the best averages.",
  );
  expect(row).toHaveTextContent("50% in total1 of 3 ended");
  expect(within(row).getByRole("link", { name: "Seeds" })).toHaveAttribute(
    "href",
    "/compare?runs=a,b,c",
  );
  await userEvent.click(within(row).getByRole("button", { name: "Show the 3 seeds of Seeds" }));
  expect(row).toHaveAttribute("aria-expanded", "true");
  expect(await line(/Run b/)).toHaveAttribute("aria-level", "2");
  expect(screen.getAllByRole("row")).toHaveLength(1 + 2 + 3);
});

test("arrow keys expand and collapse a group, and selecting it selects all its seeds", async () => {
  showGroup();
  const row = await line(/Seeds/);
  row.focus();
  await userEvent.keyboard("{ArrowRight}jj{ArrowLeft}");
  expect(await line(/Seeds/)).toHaveFocus();
  await userEvent.keyboard("x");
  expect(await screen.findByRole("link", { name: "Compare" })).toHaveAttribute(
    "href",
    "/compare?runs=a,b,c",
  );
  await userEvent.keyboard("{ArrowLeft}");
  expect(screen.queryByRole("row", { name: /Run b/ })).not.toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  expect(push).toHaveBeenLastCalledWith("/compare?runs=a,b,c");
});

test("trials of experiments are collapsed and shown on request", async () => {
  const asked: string[] = [];
  show({
    "GET /runs": (_, query) => {
      asked.push(query.get("without_trials") ?? "no");
      const { body } = page([run("a")])();
      return { body: { ...body, trials: query.has("without_trials") ? 40 : 0 } };
    },
  });
  const fold = await screen.findByRole("button", { name: "40 trials of experiments folded" });
  expect(fold).toHaveAttribute("aria-expanded", "false");
  await userEvent.click(fold);
  expect(window.location.search).toBe("?trials=shown");
  expect(await screen.findByRole("button", { name: "Fold trials of experiments" })).toHaveAttribute(
    "aria-expanded",
    "true",
  );
  await vi.waitFor(() => expect(asked.at(-1)).toBe("no"));
});

test("training runs of a selection are paused, and a tag is added to those without it", async () => {
  const able = { actor: "policy" } as const;
  const runs = [run("a", able), run("b", { ...able, status: "completed", tags: [] })];
  const asked = show({
    "GET /runs": page(runs),
    "GET /tags": () => ({ body: { tags: [{ name: "paper", runs: 1 }] } }),
    "GET /limits": () => ({
      body: Object.fromEntries(
        ["compared_runs", "exported_runs", "search", "tag"].map((name) => [name, { maximum: 50 }]),
      ),
    }),
    "POST /runs/a/pause": () => ({ status: 202, body: run("a", { status: "pausing" }) }),
    "PATCH /runs/b": () => ({ body: run("b") }),
  });
  await line(/Run a/);
  await userEvent.click(screen.getByRole("checkbox", { name: "Select Run a" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "Select Run b" }));
  await userEvent.click(await screen.findByRole("button", { name: "Pause 2 selected runs" }));
  await vi.waitFor(() => expect(toastStore.get().at(-1)?.title).toBe("Pausing 1 of 2 runs"));
  await userEvent.click(screen.getByRole("button", { name: "Tag 2 selected runs" }));
  await userEvent.type(await screen.findByRole("combobox", { name: "Tag" }), "paper");
  await userEvent.click(screen.getByRole("button", { name: "Add tag" }));
  await vi.waitFor(() => expect(toastStore.get().at(-1)?.title).toBe("Tagged 1 run: paper"));
  const changes = asked.filter(({ route }) => !route.startsWith("GET"));
  expect(changes.map(({ route }) => route)).toEqual(["POST /runs/a/pause", "PATCH /runs/b"]);
  expect(changes.at(-1)?.body).toEqual({ tags: ["paper"] });
});
