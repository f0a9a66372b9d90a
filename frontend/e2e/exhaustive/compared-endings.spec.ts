import { expect, test } from "@playwright/test";

import { comparePage, seeded } from "../seeded";

test("endings of compared runs have a share for each, and one is watched on its run", async ({
  page,
}) => {
  const { good, slow } = seeded();
  await page.goto(comparePage(good, slow));
  const card = page.getByRole("region", { name: "Episodes", exact: true });
  await card.getByText("Find episodes").click();
  await card.getByRole("textbox", { name: "Episodes with" }).fill("return > 0 and video");
  await card.getByRole("button", { name: "Find" }).click();
  const found = card.getByRole("list", { name: "Episodes found" }).getByRole("button");
  await expect(found.first()).toBeVisible();
  const name = /return ([\d.]+)/.exec((await found.first().getAttribute("aria-label"))!)![1]!;
  await found.first().click();
  await expect(page).toHaveURL(/runs\/view\?id=.*&view=evaluation&evaluation=eval_.*&frame=\d+/);
  const evaluation = page.getByRole("region", { name: "Evaluation", exact: true });
  await expect(evaluation.getByText(name, { exact: true }).first()).toBeVisible();

  await page.goto(comparePage(good, seeded().recorded));
  await card.getByText("How episodes end").click();
  const shares = card.getByRole("list", { name: "Share of each run" }).first();
  await expect(shares.getByRole("listitem")).toHaveCount(2);
});
