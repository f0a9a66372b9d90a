import { expect, test } from "@playwright/test";

import { PATIENCE } from "../patience";

test("usage is measured, and a rule is added, previewed and removed @phone", async ({ page }) => {
  await page.goto("/storage");
  const folder = page.getByRole("region", { name: "The runs folder" });
  await expect(folder.getByText(/^[\d.]+ [kMG]?B$/).first()).toBeVisible(PATIENCE);
  await expect(page.getByRole("region", { name: "By kind" }).getByRole("listitem")).not.toHaveCount(
    0,
  );

  const rules = page.getByRole("region", { name: "Rules", exact: true });
  await rules.getByRole("button", { name: "Add a rule…" }).click();
  await rules.getByRole("button", { name: "Add the rule" }).click();
  const list = rules.getByRole("list", { name: "Rules" });
  await expect(list.getByRole("listitem")).toHaveCount(1);

  const pass = page.getByRole("region", { name: "What the rules do" });
  await pass.getByRole("button", { name: "Preview" }).click();
  await expect(pass.getByRole("status")).toHaveText(/^(Would|Nothing to delete)/, PATIENCE);
  await expect(page.getByText("No rule has run yet.")).toBeVisible();

  await list.getByRole("button", { name: "Remove rule 1" }).click();
  await expect(rules.getByText("There are no rules, so nothing is deleted.")).toBeVisible();
});
