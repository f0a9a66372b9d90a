import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";

const cap = (page: Page, name: RegExp) =>
  page.getByRole("group", { name: "Keys" }).getByRole("button", { name });

async function ready(page: Page, address: string) {
  await page.goto(address);
  await expect(cap(page, /./).first()).toBeVisible(PATIENCE);
}

test("another action is tried beside the episode, and what was played is kept as a run", async ({
  page,
}) => {
  await ready(page, "/play?env=CartPole-v1");
  const step = page.getByRole("button", { name: "One step", exact: true });
  await expect(step).toBeEnabled();
  await page.getByText("Random", { exact: true }).click();
  await step.click();
  await page.getByRole("button", { name: "push left", exact: true }).first().click();
  await expect(page.getByRole("img", { name: "The other future" })).toBeVisible();
  await expect(page.getByText("Split after step")).toBeVisible();
  await page.getByRole("button", { name: "Close the other future" }).click();
  await expect(page.getByRole("img", { name: "The other future" })).toBeHidden();
  await page.getByText("You", { exact: true }).click();
  await page.locator("canvas").first().click();
  await page.keyboard.down("ArrowRight");
  const kept = page.getByRole("link", { name: /Kept as a run/ });
  await expect(kept).toBeVisible();
  await page.keyboard.up("ArrowRight");
  await kept.click();
  await expect(page.getByRole("heading", { name: "Human on CartPole" })).toBeVisible();
  await expect(page.getByText("Played by hand").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);

  const { searchParams } = new URL(page.url());
  await page.goto("/?q=Human+on+CartPole");
  await expect(page.locator(`a[href*="${searchParams.get("id")}"]`).first()).toBeVisible();
});
