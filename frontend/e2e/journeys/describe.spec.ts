import { copyFile, mkdtemp, mkdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { broken } from "../accessible";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

const GAME = "../backend/rlviz/learning/environments/gameboy/lamplighter/lamplighter.gb";
/** Where it keeps the column of the player, as `lamplighter.sym` says. */
const COLUMN = "0xC002";

test("a ROM is played, searched and described, and an agent can train on it", async ({ page }) => {
  const roms = await mkdtemp(path.join(tmpdir(), "rlviz-e2e-roms-"));
  await mkdir(path.join(roms, "my-lamp"));
  await copyFile(GAME, path.join(roms, "my-lamp/game.gb"));
  const service = await ownService(undefined, { RLVIZ_ROMS: roms });
  try {
    await page.goto(`${service.url}/play`);
    await page.getByRole("link", { name: "Describe my-lamp" }).click(PATIENCE);
    const play = page.getByRole("button", { name: "Play", exact: true });
    await expect(play).toBeEnabled(PATIENCE);

    await saveStart(page);
    await page.getByRole("button", { name: "Begin a search" }).click();
    await expect(candidates(page)).toHaveText("8,319 candidates", PATIENCE);
    for (const [key, change] of [
      ["ArrowRight", "Increased"],
      ["ArrowLeft", "Decreased"],
    ] as const) {
      await walk(page, key);
      const before = await candidates(page).innerText();
      await page.getByRole("button", { name: change, exact: true }).click();
      await expect(candidates(page)).not.toHaveText(before, PATIENCE);
    }
    await page.getByRole("button", { name: `Name ${COLUMN}` }).click();
    await page.keyboard.type("column");
    await page.getByRole("button", { name: "Add a component" }).click();
    await page.getByLabel("Component", { exact: true }).fill("right");
    const value = page.getByLabel("Value in a step");
    await value.fill("delta(colum)");
    const wrong = /^At character \d+: There is no tap 'colum'/;
    await expect(value).toHaveAccessibleDescription(wrong, PATIENCE);
    await value.fill("max(0, delta(column))");
    await expect(value).not.toHaveAttribute("aria-invalid", PATIENCE);

    const train = page.getByRole("link", { name: "Train an agent on it" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(train).toBeVisible(PATIENCE);
    await expect(page.getByText("It can be used as GameBoy/MyLamp-v0.")).toBeVisible(PATIENCE);
    const written = await readFile(path.join(roms, "my-lamp/game.toml"), "utf8");
    expect(written).toContain(`name = "column"\naddress = ${COLUMN}`);
    expect(written).toContain('start_state = "start.state"');

    expect(await broken(page)).toEqual([]);

    await train.click();
    await page.getByRole("button", { name: "Start training" }).click(PATIENCE);
    await expect(page).toHaveURL(/runs\/view/, PATIENCE);
    await expect(page.getByText("Training", { exact: true }).first()).toBeVisible(PATIENCE);
  } finally {
    await service.close();
    await rm(roms, { recursive: true });
  }
});

const candidates = (page: Page) =>
  page.getByRole("region", { name: "Search memory" }).getByRole("status");

/** Plays past the title, which waits for Start, and saves the moment after it. */
async function saveStart(page: Page) {
  await stage(page).click();
  await drawn(page, 130);
  await page.keyboard.press("KeyT");
  await drawn(page, 40);
  await page.getByRole("button", { name: "Save start state" }).click();
  await expect(page.getByText("Episodes begin with start.state.")).toBeVisible(PATIENCE);
}

/** Walks a square, and pauses when she stands. A key held for longer could lead into the next room. */
async function walk(page: Page, key: string) {
  await stage(page).click();
  await drawn(page, 3);
  await page.keyboard.press(key);
  await drawn(page, 15);
  await page.getByRole("button", { name: "Pause" }).click();
}

const stage = (page: Page) => page.getByRole("application");

/** Waits until so many more pictures were drawn; the game plays at least two frames for each. */
async function drawn(page: Page, pictures: number) {
  const canvas = stage(page).locator("canvas");
  const count = async () => Number((await canvas.getAttribute("data-frames")) ?? "0");
  const until = (await count()) + pictures;
  await expect.poll(count, PATIENCE).toBeGreaterThanOrEqual(until);
}
