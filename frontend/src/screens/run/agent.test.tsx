import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { RunDetail } from "@/api/types";
import { ChartGroup } from "@/charts/chart-group";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { Agent } from "./agent";

vi.mock("./live/live-window", () => ({ LiveWindow: () => <p>the live window</p> }));

const run = (status: string) =>
  ({ id: "a", name: "A", actor: "policy", env_id: "X", status }) as RunDetail;
const evaluation = (id: string, status = "completed") => ({ id, run_id: "a", status });

let evaluations: object[] = [];

beforeEach(() => {
  evaluations = [];
  window.history.replaceState(null, "", "/runs/view?id=a");
  serve({
    "GET /runs/a/evaluations": () => ({ body: evaluations }),
    "GET /runs/a/policies": () => ({ body: { policies: [] } }),
    "GET /runs/a/clips": () => ({ body: [] }),
  });
});

const show = (status: string) =>
  renderWithQueries(<Agent run={run(status)} group={new ChartGroup()} />);
const chosen = () => screen.getByRole("radio", { checked: true }).getAttribute("aria-label");

test("a training agent is shown live", async () => {
  show("running");
  expect(await screen.findByText("the live window")).toBeVisible();
  expect(chosen()).toBe("Live");
});

test("an ended run without an evaluation is shown live when the service allows it", async () => {
  show("completed");
  expect(await screen.findByText("the live window")).toBeVisible();
});

test("a running evaluation is in front", async () => {
  evaluations = [evaluation("e", "queued")];
  show("running");
  await vi.waitFor(() => expect(chosen()).toBe("Evaluation"));
});

test("the choice is in the address and restored from it", async () => {
  const { unmount } = show("running");
  await userEvent.click(await screen.findByRole("radio", { name: "Moment" }));
  expect(window.location.search).toBe("?id=a&view=moment");
  expect(
    await screen.findByText("The policies of this run appear here as it learns."),
  ).toBeVisible();
  expect(screen.getByRole("region", { name: "Moment" })).toBeVisible();
  unmount();
  show("running");
  expect(chosen()).toBe("Moment");
});

test.each([
  ["random", "Random actions"],
  ["human", "Played by hand"],
])("a %s run has its evaluations and nothing else, titled %s", async (actor, title) => {
  const nobody = { ...run("completed"), actor, best_policy: null, policy_step: null } as RunDetail;
  renderWithQueries(<Agent run={nobody} group={new ChartGroup()} />);
  expect(await screen.findByText(title)).toBeVisible();
  expect(screen.queryByRole("radio", { name: "Live" })).toBeNull();
  expect(screen.getByRole("button", { name: "All episodes" })).toBeVisible();
});
