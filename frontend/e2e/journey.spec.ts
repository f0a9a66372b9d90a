import { expect, test } from "@playwright/test";
import { chart, picture, points, startRun, status } from "./run-page";

test("a run is created, watched, stopped, evaluated and played back", async ({ page }) => {
  await startRun(page, 200_000);
  await expect(status(page, "running")).toBeVisible();

  await test.step("the curve moves", async () => {
    await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(5);
    const drawn = await picture(page, "Episode return");
    const held = await points(page, "Episode return");
    await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(held);
    await expect.poll(() => picture(page, "Episode return")).not.toBe(drawn);
    await expect(chart(page, "Episode length")).toHaveAccessibleName(
      /^Episode length at step .*Mean of 100 \d/,
    );
  });

  await test.step("it stops", async () => {
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(status(page, "stopped")).toBeVisible();
    await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
  });

  await test.step("its policy is evaluated", async () => {
    const card = page.getByRole("region", { name: "Evaluation" });
    await expect(card.getByText("No evaluation yet")).toBeVisible();
    await card.getByLabel("Episodes to evaluate").selectOption("3");
    await card.getByRole("button", { name: "Run Evaluation" }).click();
    await expect(card.getByRole("button", { name: /^Play episode/ })).toHaveCount(3, {
      timeout: 60_000,
    });
  });

  await test.step("the video plays", async () => {
    const video = page.locator("video");
    const time = () => video.evaluate((element: HTMLVideoElement) => element.currentTime);
    await video.evaluate((element: HTMLVideoElement) => element.play());
    await expect.poll(time).toBeGreaterThan(0.2);
    await video.evaluate((element: HTMLVideoElement) => element.pause());

    await page.getByRole("button", { name: /^Play episode 2/ }).click();
    await expect(page.getByRole("button", { name: /^Play episode 2/ })).toHaveAttribute(
      "aria-current",
      "true",
    );
  });

  await test.step("it is deleted, and the list knows", async () => {
    const id = new URL(page.url()).searchParams.get("id")!;
    const link = page.locator(`a[href$="${id}"]`);
    const line = page.getByRole("row").filter({ has: link });
    const toRuns = () =>
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
    await toRuns();
    await expect(line).toContainText("stopped");
    await link.click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete run" }).click();
    await expect(page).toHaveURL("/");
    await expect(page.getByRole("heading", { name: /^Runs/ })).toBeVisible();
    await expect(line).toHaveCount(0);
  });
});
