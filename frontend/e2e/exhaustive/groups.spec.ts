import { expect, test } from "@playwright/test";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";
import { openMore } from "../new-run";

test("a list of seeds becomes one row, one curve with a band, and a group on the page of each run", async ({
  page,
}) => {
  const service = await ownService({});
  try {
    await page.goto(`${service.url}/?new`);
    await openMore(page);
    await page.getByLabel("Number of seeds").selectOption("List");
    const seeds = page.getByLabel("Seeds", { exact: true });
    await seeds.fill("4, 4");
    await expect(page.getByText("Seed 4 is listed twice")).toBeVisible();
    await seeds.fill("4, 7");
    await page.getByLabel("Timesteps", { exact: true }).fill("4000");
    await page.getByRole("button", { name: "Start training × 2" }).click();

    await expect(page).toHaveURL(/\/compare\?runs=/, PATIENCE);
    const chart = page.getByRole("region", { name: "Episode return", exact: true });
    const band = chart.getByRole("button", { name: / of 2 seeds/ });
    await expect(band).toBeVisible(PATIENCE);
    await expect(band).toContainText(/seeds\d/, PATIENCE);
    const columns = page.getByRole("region", { name: "Figures" }).getByRole("columnheader");
    await expect(columns).toHaveCount(2);
    await page.getByRole("switch", { name: "Single seeds" }).click({ force: true });
    await expect(page).toHaveURL(/seeds=apart/);
    await expect(chart.getByRole("button", { name: /seed 7/ })).toBeVisible();
    await expect(columns).toHaveCount(3);

    await page.goto(service.url);
    const line = page.getByRole("row", { name: /2 seeds/ });
    await expect(line).not.toContainText("ended", PATIENCE);
    await expect(line).toContainText("completed");
    await line.focus();
    await page.keyboard.press("ArrowRight");
    await expect(line).toHaveAttribute("aria-expanded", "true");
    await page.getByRole("row", { name: /seed 7/ }).focus();
    await page.keyboard.press("Enter");

    const group = page.getByRole("region", { name: "Seeds", exact: true });
    await expect(group).toContainText("interquartile mean of 2 of 2 seeds", PATIENCE);
    await group.getByText("Single seeds").click();
    await expect(group.getByRole("link", { name: "seed 4" })).toBeVisible();
  } finally {
    await service.close();
  }
});
