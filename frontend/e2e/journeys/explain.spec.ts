import { expect, test } from "@playwright/test";
import { seeded } from "../seeded";

test("an interactive picture is moved by keys, and the curves of a run are explained @phone", async ({
  page,
}) => {
  await page.goto("/explain");
  const ratio = page.getByRole("slider", { name: "Ratio" });
  const before = await ratio.inputValue();
  await ratio.press("ArrowRight");
  await expect(ratio).not.toHaveValue(before);
  await page.getByRole("tab", { name: "PPO" }).press("ArrowRight");
  await expect(page.getByRole("tab", { name: "DQN", exact: true })).toHaveAttribute(
    "aria-selected",
    "true",
  );

  const { slow } = seeded();
  await page.goto(`/explain?run=${slow}`);
  await expect(page.getByRole("main")).toContainText("DQN baseline");
});
