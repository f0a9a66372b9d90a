import { expect, type Page } from "@playwright/test";
import type { OwnService } from "./own-service";
import { PATIENCE } from "./patience";
import { points, status } from "./run-page";
import { openMore } from "./new-run";

/** `RLVIZ_E2E_PICTURES` is a folder for pictures of each step to review. */
const pictures = process.env.RLVIZ_E2E_PICTURES;

/**
 * Pauses a run, restarts the app, interrupts and resumes the run, forks it, and compares it with its fork.
 *
 * `interrupt` kills its worker if the script of the service does not.
 */
export async function pauseResumeAndFork(
  page: Page,
  service: OwnService,
  project: string,
  interrupt?: (run: string) => Promise<void>,
) {
  const look = async (name: string) => {
    if (!pictures) return;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/${project}-${name}-${colorScheme}.png` });
    }
  };
  /** Waits until the given number of points is drawn. A worker first imports torch, which is slow on a busy machine. */
  const drawn = (more: number) =>
    expect.poll(() => points(page, "Episode return"), PATIENCE).toBeGreaterThan(more);
  /** The button in the header. Players below have one with the same name. */
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
  await page.goto(`${service.url}/?new`);
  const form = await openMore(page);
  await form.getByLabel("Timesteps").fill("1000000");
  await form.getByLabel("Seed", { exact: true }).fill("1");
  await form.getByLabel("Name").fill("Parent");
  await form.getByRole("button", { name: "Start training" }).click();
  await drawn(20);
  const parent = new URL(page.url()).searchParams.get("id")!;

  await press("Pause");
  await expect(status(page, "paused")).toBeVisible();
  await service.restart();
  await page.reload();
  await expect(status(page, "paused")).toBeVisible();
  await look("paused");

  await drawn(20); // what was there before, so that what is more is new
  const before = await points(page, "Episode return");
  await press("Resume");
  await drawn(before + 20);

  // Of all rows since then nothing is in a snapshot, so that they are computed again and compared.
  await interrupt?.(parent);
  await expect(status(page, "interrupted")).toBeVisible({ timeout: 60_000 });
  await look("interrupted");
  await press("Resume");
  await expect(
    page.getByText(
      /^Resumed from step [\d,]+: [\d,]+ rows trained again, identical to those before\./,
    ),
  ).toBeVisible(PATIENCE);
  await look("resumed");
  await press("Pause");
  await expect(status(page, "paused")).toBeVisible();

  await page.goto(`${service.url}/runs/view?id=${parent}&details=snapshots`);
  await page
    .getByRole("button", { name: /^Actions on the snapshot/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Fork here…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Fork at/ });
  await dialog.getByLabel("Name").fill("Child");
  const rate = dialog.getByRole("textbox", { name: "learning_rate", exact: true });
  await rate.fill(String(Number(await rate.inputValue()) / 2));
  await expect(dialog.getByText("1 setting changed")).toBeVisible();
  await look("fork");
  await dialog.getByRole("button", { name: "Fork and start" }).click();
  await expect(page.getByRole("heading", { name: "Child" })).toBeVisible();
  const child = new URL(page.url()).searchParams.get("id")!;
  await drawn(20);
  await look("child");

  await page.goto(`${service.url}/compare?runs=${parent},${child}`);
  await expect(page.getByText("learning_rate").first()).toBeVisible();
  await expect(page.getByText("gamma", { exact: true })).toHaveCount(0);
  await look("compared");
}
