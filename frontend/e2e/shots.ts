import type { Page } from "@playwright/test";
import { answer, emptyList, refuse, silence } from "./answers";
import { comparePage, experimentPage, runPage, seeded } from "./seeded";
import { openMore } from "./new-run";

export interface Shot {
  name: string;
  path: string;
  /** Height of the window, for pages with an overlay that scrolls by itself. */
  height?: number;
  /** Runs before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** Runs once the page shows its data. */
  then?: (page: Page) => Promise<unknown>;
}

const LIST = /^\/runs$/;
const RUN = /^\/runs\/[^/]+$/;
const EVALUATIONS = /^\/runs\/[^/]+\/evaluations$/;
const COMPARE = /^\/compare$/;

/** Failures are reported only after a retry. */
const told = (page: Page) => page.getByText("The catalogue is busy").first().waitFor();

const told409 = (page: Page) => page.getByText("is damaged").first().waitFor();

async function pressStartWithErrors(page: Page) {
  const form = await openMore(page);
  await form.getByLabel("Timesteps").fill("3");
  await form.getByLabel("Seed", { exact: true }).fill("one");
  await form.getByRole("button", { name: "Start training" }).click();
}

const evaluated = (id: string) => `${runPage(id)}&view=evaluation`;

/** The table of steps with an additional column and an invalid condition. */
async function conditionAndColumns(page: Page) {
  const evaluation = page.getByRole("region", { name: "Evaluation", exact: true });
  await evaluation.getByText("Steps", { exact: true }).click();
  await evaluation.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("option", { name: "pole angle [rad]" }).click();
  await page.keyboard.press("Escape");
  const condition = evaluation.getByRole("textbox", { name: "Condition" });
  await condition.fill("action = push right and pole angle > 0.02");
  await condition.press("Enter");
  await evaluation.getByRole("button", { name: "Export these" }).waitFor();
  await condition.fill("acton = push right");
  await condition.press("Enter");
  await evaluation.getByText(/Did you mean/).waitFor();
  await condition.evaluate((field) => field.scrollIntoView({ block: "center" }));
}

async function openEpisodes(page: Page) {
  const card = page.getByRole("region", { name: "Episodes", exact: true });
  await card.getByText("How episodes end").click();
  await card.getByText("Find episodes").click();
  await card.getByRole("textbox", { name: "Episodes with" }).fill("return > 0");
  await card.getByRole("button", { name: "Find" }).click();
  await card.getByRole("list", { name: "Episodes found" }).waitFor();
}

/** Every page in every state. */
export function shots(): Shot[] {
  const runs = seeded();
  const live = runs.live[0] ?? "";
  return [
    { name: "home", path: "/" },
    { name: "home-none", path: "/", before: (page) => answer(page, LIST, () => emptyList) },
    { name: "home-loading", path: "/", before: (page) => silence(page, LIST) },
    { name: "home-error", path: "/", before: (page) => refuse(page, LIST), then: told },
    { name: "home-no-match", path: "/?q=nothing+is+called+this" },
    { name: "form", path: "/?new", height: 1700 },
    { name: "form-errors", path: "/?new", height: 1700, then: pressStartWithErrors },
    { name: "run-live", path: runPage(live) },
    { name: "run-completed", path: runPage(runs.good) },
    ...["charts", "episodes", "inside", "control", "data"].map((tab) => ({
      ...{ name: `run-${tab}`, path: runPage(runs.good, tab) },
    })),
    { name: "run-dqn", path: runPage(runs.slow) },
    { name: "run-failed", path: runPage(runs.failed) },
    { name: "run-interrupted", path: runPage(runs.interrupted) },
    { name: "run-created-long-name", path: runPage(runs.created) },
    { name: "run-hostile-name", path: runPage(runs.hostile) },
    { name: "run-evaluation-failed", path: runPage(runs.stopped) },
    { name: "run-evaluation-none", path: runPage(runs.bare) },
    {
      name: "run-evaluation-queued",
      path: runPage(runs.good),
      before: (page) => answer(page, EVALUATIONS, underWay("queued")),
    },
    {
      name: "run-evaluation-running",
      path: runPage(runs.good),
      before: (page) => answer(page, EVALUATIONS, underWay("running")),
    },
    {
      name: "run-queued",
      path: runPage(runs.created),
      before: (page) =>
        answer(page, RUN, (run: object) => ({ ...run, status: "queued", queue_position: 2 })),
    },
    { name: "run-loading", path: runPage(runs.good), before: (page) => silence(page, RUN) },
    {
      name: "run-error",
      path: runPage(runs.good),
      before: (page) => refuse(page, RUN),
      then: told,
    },
    {
      name: "run-recording",
      path: `${runPage(runs.recorded)}&details=recording`,
      height: 900,
      then: (page) =>
        page.locator("#details").evaluate((details) => details.scrollIntoView({ block: "start" })),
    },
    { name: "run-steps", path: evaluated(runs.recorded), height: 1100, then: conditionAndColumns },
    { name: "run-unknown", path: runPage("no-such-run") },
    { name: "compare-none", path: "/compare" },
    { name: "compare-one", path: comparePage(runs.good) },
    { name: "compare-two", path: comparePage(runs.good, runs.slow) },
    { name: "compare-episodes", path: comparePage(runs.recorded, runs.good), then: openEpisodes },
    { name: "compare-live", path: comparePage(...runs.live) },
    {
      name: "compare-many",
      path: comparePage(
        ...[runs.good, runs.slow, runs.bare, runs.stopped, runs.unicode, runs.hostile],
        ...[runs.failed, runs.interrupted],
      ),
    },
    { name: "compare-environments", path: comparePage(runs.good, runs.acrobot) },
    { name: "compare-unknown", path: comparePage(runs.good, runs.slow, "gone") },
    {
      name: "compare-loading",
      path: comparePage(runs.good, runs.slow),
      before: (page) => silence(page, COMPARE),
    },
    {
      name: "compare-error",
      path: comparePage(runs.good, runs.slow),
      before: (page) => refuse(page, COMPARE),
      then: told,
    },
    { name: "explain", path: "/explain" },
    { name: "explain-hints", path: `/explain?run=${runs.slow}` },
    { name: "experiments", path: "/experiments" },
    { name: "experiment", path: experimentPage(runs.small) },
    { name: "experiment-wide", path: experimentPage(runs.wide) },
    { name: "experiment-methods", path: experimentPage(runs.methods) },
    { name: "experiment-stopped", path: experimentPage(runs.stopped_experiment) },
    { name: "experiment-failed", path: experimentPage(runs.failed_experiment) },
    { name: "experiment-damaged", path: experimentPage(runs.damaged_experiment), then: told409 },
    { name: "experiment-unknown", path: experimentPage("exp-20260101-000000-abcdef") },
    {
      name: "experiment-form-search",
      path: "/experiments",
      height: 1700,
      then: async (page) => {
        await page.getByRole("button", { name: "New experiment" }).click();
        await page.getByText("Search", { exact: true }).click();
        await page.getByText("hyperparameters searched").click();
      },
    },
    { name: "not-found", path: "/no/such/page" },
    {
      name: "palette",
      path: "/",
      then: (page) => page.keyboard.press("Control+k"),
    },
    { name: "shortcuts", path: "/", then: (page) => page.keyboard.press("?") },
    {
      name: "offline",
      path: runPage(runs.good),
      then: (page) => page.context().setOffline(true),
    },
  ];
}

export const underWay = (status: "queued" | "running") => (evaluations: object[]) => [
  {
    ...evaluations[0],
    id: "eval_20990101-000000-000",
    status,
    summary: null,
    video_url: null,
    ended_at: null,
    episodes_done: status === "running" ? 2 : 0,
  },
  ...evaluations,
];
