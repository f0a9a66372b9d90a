import { expect, type Page, test } from "@playwright/test";
import { comparePage, seeded } from "../seeded";

const figures = (page: Page) => page.getByRole("region", { name: "Figures" });

test("two runs show a verdict, figures, a custom threshold and settings @phone", async ({
  page,
}) => {
  const { good, slow } = seeded();
  await page.goto(comparePage(good, slow));
  const inShort = page.getByRole("region", { name: "In short" });
  await expect(inShort).toContainText("Not enough seeds to compare: one seed each.");
  await expect(inShort).toContainText(
    /PPO baseline ends at [\d.]+, .* at [\d.]+: the difference exceeds/,
  );
  await expect(
    figures(page).getByText("best", { exact: true }).filter({ visible: true }),
  ).not.toHaveCount(0);
  await expect(
    figures(page).getByText("not reached").filter({ visible: true }).first(),
  ).toBeVisible();

  await figures(page).getByLabel("Threshold", { exact: true }).fill("100");
  await expect(page).toHaveURL(/threshold=100/);
  await expect(figures(page).getByText("not reached").filter({ visible: true })).toHaveCount(0);
  await page.reload();
  await expect(figures(page).getByLabel("Threshold", { exact: true })).toHaveValue("100");

  const settings = page.getByRole("region", { name: "Settings that differ" });
  await expect(settings.getByRole("rowheader", { name: "algo" })).toBeVisible();
  await expect(settings.getByText("env_id")).toHaveCount(0);
});
