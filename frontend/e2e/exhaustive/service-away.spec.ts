import { expect, test } from "@playwright/test";
import { cuttableProxy } from "../cuttable-proxy";
import { runPage, seeded } from "../seeded";

const SAYS = /The service has not answered since \d/;

test("an unreachable service is reported on every page and all clocks stop @phone", async ({
  page,
  baseURL,
}) => {
  const wire = await cuttableProxy(baseURL!);
  const id = seeded().live[0]!;
  await page.goto(wire.url + runPage(id));
  await expect(page.locator("[data-connection=live]")).toBeAttached();
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await expect(stop).toBeEnabled();
  // What is still being loaded would say, once it cannot be, that it was not.
  await expect(async () => {
    await page.waitForTimeout(1_000);
    await expect(page.getByText(/^Looking for|^Loading/)).toHaveCount(0, { timeout: 1 });
    await expect(page.getByRole("status", { name: /^Loading/ })).toHaveCount(0, { timeout: 1 });
  }).toPass();

  wire.cut();
  await expect(page.getByText(SAYS)).toBeVisible();
  await expect(stop).toBeDisabled();
  await expect(stop).toHaveAttribute("title", "The service does not answer");
  await expect(page.locator("header")).toContainText("No service");
  await expect(page.locator("header")).not.toContainText("Live");
  // What was under way when the service went is said to have failed first.
  await expect(async () => {
    const shown = await page.locator("#content").innerText();
    await page.waitForTimeout(2_500);
    expect(await page.locator("#content").innerText()).toBe(shown);
  }).toPass();

  wire.restore();
  await expect(page.getByText(SAYS)).toHaveCount(0);
  await expect(stop).toBeEnabled();

  for (const path of ["/", "/compare", "/explain", "/trash"]) {
    await page.goto(wire.url + path);
    await expect(page.locator("[data-connection=live]")).toBeAttached();
    wire.cut();
    await expect(page.getByText(SAYS)).toBeVisible();
    wire.restore();
    await expect(page.getByText(SAYS)).toHaveCount(0);
  }
  await wire.close();
});
