import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { runPage, seeded } from "../seeded";

test("the report of a run opens from disk without a network, and its film follows slider, keys and curve", async ({
  browser,
  page,
}, info) => {
  await page.goto(runPage(seeded().good));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Report…" }).click();
  const dialog = page.getByRole("dialog", { name: "Report" });
  await expect(dialog.getByText("0 of 1 policy is filmed.")).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download now" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`${seeded().good}.html`);
  await expect(dialog).toBeHidden();
  const saved = info.outputPath("report.html");
  await file.saveAs(saved);

  const reader = await browser.newContext({ offline: true, viewport: { width: 390, height: 844 } });
  const report = await reader.newPage();
  const problems: string[] = [];
  report.on("console", (message) => problems.push(message.text()));
  report.on("pageerror", ({ message }) => problems.push(message));
  report.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(request.url());
  });
  await report.goto(pathToFileURL(saved).href);
  await expect(report.getByRole("heading", { level: 1 })).toBeVisible();
  const cells = report.getByRole("list", { name: "Film" }).getByRole("button");
  const last = (await cells.count()) - 1;
  expect(last).toBeGreaterThan(0);
  const isChosen = (place: number) =>
    expect(cells.nth(place)).toHaveAttribute("aria-current", "true");
  await isChosen(last);
  await expect(report.locator(".stage video")).toBeVisible();

  const slider = report.getByRole("slider");
  await slider.press("Home");
  await isChosen(0);
  await slider.press("ArrowRight");
  await isChosen(1);
  const title = (await report.locator(".stage .when").textContent()) ?? "";
  await expect(slider).toHaveAttribute("aria-valuetext", new RegExp(`^${title}: `));
  await cells.nth(last).click();
  await isChosen(last);
  await report
    .getByRole("img", { name: /^Curve of the return/ })
    .click({ position: { x: 70, y: 90 } });
  await isChosen(0);
  await report.getByRole("button", { name: "Play" }).click();
  await expect(report.getByRole("button", { name: "Pause" })).toBeVisible();
  const width = await report.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(390);
  expect(problems).toEqual([]);
  await reader.close();
});
