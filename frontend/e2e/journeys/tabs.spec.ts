import { expect, test } from "@playwright/test";
import { runPage, seeded } from "../seeded";
import { openTab, streams } from "../streams";

const TABS = 3;

test("all tabs share one stream, which ends with the last of them", async ({
  context,
  request,
}) => {
  const { live } = seeded();
  await expect.poll(() => streams(request)).toBe(0);
  const tabs = [];
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await openTab(context, runPage(live[tab % live.length]!));
    await expect(page.locator("[data-connection=live]")).toBeAttached();
    tabs.push(page);
  }
  // One that was replaced for a new tab is counted until the service has noticed.
  await expect.poll(() => streams(request)).toBe(1);
  for (const page of tabs.slice(1)) await page.close();
  await expect(tabs[0]!.locator("[data-connection=live]")).toBeAttached();
  await tabs[0]!.close();
  await expect.poll(() => streams(request)).toBe(0);
});
