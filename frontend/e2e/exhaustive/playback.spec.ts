import { expect, type Page, test } from "@playwright/test";
import { answer } from "../answers";
import { showEvaluation } from "../run-page";
import { runPage, seeded } from "../seeded";
import { underWay } from "../shots";

const card = (page: Page) => page.getByRole("region", { name: "Evaluation" });

test("missing, waiting, running and failed evaluations each say so @phone", async ({ page }) => {
  const { bare, good, stopped, failed } = seeded();
  const EVALUATIONS = /^\/runs\/[^/]+\/evaluations$/;
  await page.goto(runPage(bare));
  await showEvaluation(page);
  await expect(card(page).getByText("No evaluation yet")).toBeVisible();
  await page.goto(runPage(failed));
  await showEvaluation(page);
  await expect(card(page).getByText("This run ended before its first checkpoint.")).toBeVisible();
  await page.goto(runPage(stopped, "episodes"));
  await expect(card(page).getByRole("alert")).toContainText("model.zip is not a policy");
  await expect(card(page).getByRole("button", { name: "Evaluate again" })).toBeEnabled();
  await answer(page, EVALUATIONS, underWay("queued"));
  await page.goto(runPage(good, "episodes"));
  await expect(card(page).getByRole("status").first()).toContainText("Waiting to start");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await answer(page, EVALUATIONS, underWay("running"));
  await page.reload();
  await expect(card(page).getByText("Episode 3 of 3")).toBeVisible();
  await expect(card(page).locator("video")).toBeVisible();
});

test("earlier evaluations keep their numbers without their video", async ({ page }) => {
  await page.goto(runPage(seeded().good, "episodes"));
  await card(page).getByText("All evaluations").click();
  const all = card(page).getByRole("list", { name: "All evaluations" });
  await expect(all.getByRole("listitem")).toHaveCount(3);
  await all.getByRole("button", { name: /video retired/ }).click();
  await expect(card(page).getByText("Its video is not kept")).toBeVisible();
  await expect(card(page).getByText("55.0", { exact: false }).first()).toBeVisible();
  await expect(
    card(page).getByRole("list", { name: "Episodes", exact: true }).getByRole("listitem"),
  ).toHaveCount(3);
});
