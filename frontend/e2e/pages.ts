import { expect, type Page } from "@playwright/test";
import { PATIENCE } from "./patience";
import { comparePage, experimentPage, runPage, type Seeded } from "./seeded";

interface Place {
  address: string;
  /** Opens what is closed by default. */
  open?: (page: Page) => Promise<unknown>;
  /** Whether it is another state of a listed page, or is covered by a journey. */
  again?: true;
}

/** Every page in each distinct state, by part of the app, for checks that apply to all pages. */
export const PARTS: Record<string, (runs: Seeded) => Place[]> = {
  "list of runs": () => [
    { address: "/" },
    { address: "/?q=baseline", open: selectAndOpenMenu },
    { address: "/?new" },
    { address: "/trash" },
  ],
  "page of a run": ({ good, slow, created, live, failed, stopped, hostile }) => [
    { address: runPage(good) },
    { address: runPage(good, "episodes"), open: openEvaluationOptions },
    { address: runPage(good, "charts"), open: press("Arrange") },
    ...["inside", "control", "data"].map((tab) => ({ address: runPage(good, tab) })),
    ...[created, live[0]!, failed].map((id) => ({ address: runPage(id) })),
    ...[slow, stopped, hostile].map((id) => ({ address: runPage(id), again: true as const })),
    { address: "/runs/view" },
  ],
  comparison: ({ good, slow, hostile, created, acrobot }) => [
    { address: comparePage(good, slow, hostile, created, acrobot) },
    { address: "/compare", open: press("Add runs") },
    { address: "/analyse" },
    ...["scatter", "pivot", "sql"].map((view) => ({
      ...{ address: `/analyse?view=${view}`, again: true as const },
    })),
  ],
  experiment: ({ small, search }) => [
    { address: "/experiments" },
    { address: "/experiments", open: openExperimentForm },
    { address: experimentPage(small) },
    { address: experimentPage(search) },
    { address: experimentPage(), again: true },
  ],
  "other page": ({ slow }) => [
    { address: "/explain" },
    { address: `/explain?run=${slow}`, again: true },
    { address: "/play" },
    { address: "/play/game" },
    { address: "/settings" },
    { address: "/storage" },
    { address: "/nope" },
    ...["palette", "shortcuts"].map((sheet) => ({
      address: "/nope",
      open: openSheet(sheet),
    })),
  ],
};

/** Opens the page, waits for its data, and opens everything that can be opened. */
export async function visit(page: Page, { address, open }: Place) {
  await page.goto(address);
  await expect(page.locator("[data-connection=live]")).toBeAttached(PATIENCE);
  await expect(page.locator("main")).not.toBeEmpty();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0, PATIENCE);
  await page
    .locator("details")
    .evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
  await open?.(page);
}

const press = (name: string) => (page: Page) => page.getByRole("button", { name }).click();

async function selectAndOpenMenu(page: Page) {
  const row = page.locator("[role=row][data-index]").first();
  await row.locator("[data-act=select]").click();
  await row.locator("[data-act=menu]").click();
  await expect(page.getByRole("menu")).toBeVisible();
}

async function openEvaluationOptions(page: Page) {
  const card = page.getByRole("region", { name: "Evaluation" });
  await card.getByRole("button", { name: "Options" }).click();
  await card.getByRole("button", { name: "Keyboard shortcuts" }).click();
}

async function openExperimentForm(page: Page) {
  await press("New experiment")(page);
  await page.getByText("Search", { exact: true }).click();
  await page.getByText("hyperparameters searched").click();
  await page.getByText("Advanced").click();
}

const openSheet = (sheet: string) => async (page: Page) => {
  await page.keyboard.press(sheet === "shortcuts" ? "?" : "Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
};
