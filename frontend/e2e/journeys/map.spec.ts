import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { runPage } from "../seeded";
import { trained } from "../trained";

/** Opens the cell below the start with the keyboard. */
async function openCell(page: Page, id: string) {
  await page.goto(runPage(id, "inside"));
  const map = page.getByRole("application", { name: /^Map/ });
  await map.focus(PATIENCE);
  for (const key of ["Home", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "Enter"]) {
    await page.keyboard.press(key);
  }
  const cell = page.getByRole("group", { name: "Cell: Column 1, row 2" });
  await expect(cell.getByText(/the archive kept in snapshot/)).toBeVisible(PATIENCE);
  return cell;
}

test("a cell of the map is opened by key, watched from, played from and forked from", async ({
  page,
  request,
}) => {
  const id = await trained(request, {
    ...{ algo: "q-learning", env_id: "FrozenLake-v1", total_timesteps: 2_000 },
    ...{ env_options: { is_slippery: false }, exploration: { archive: 0.3 } },
  });
  await expect(
    (await openCell(page, id)).getByRole("button", { name: "Watch from here" }),
  ).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/view=live&cell=4/);
  await expect(page.getByText(/begins in a cell of the map: Column 1, row 2/)).toBeVisible();
  // Nothing moves by itself for those who want less motion.
  await page.getByRole("button", { name: "Watch it play" }).click();
  await expect(page.getByText(/seed 1,000,0\d\d · greedy/)).toBeVisible(PATIENCE);

  await (await openCell(page, id)).getByRole("link", { name: "Play from here" }).click();
  await expect(page.getByText(/They are not kept/)).toBeVisible(PATIENCE);
  await expect(page.getByText("You play, seed 1,000,000")).toBeVisible(PATIENCE);

  await (await openCell(page, id)).getByRole("button", { name: "Fork from here…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Probability to begin in Column 1, row 2").fill("0.9", PATIENCE);
  await dialog.getByLabel("Timesteps").fill("3000");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await expect(page).not.toHaveURL(new RegExp(id), PATIENCE);
  const fork = new URL(page.url()).searchParams.get("id");
  const { config } = (await (await request.get(`/api/runs/${fork}`)).json()) as {
    config: { exploration: object };
  };
  expect(config.exploration).toMatchObject({ archive: 0.9, start_cell: 4 });
});
