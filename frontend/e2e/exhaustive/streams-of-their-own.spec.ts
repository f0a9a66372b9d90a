import { expect, test } from "@playwright/test";

import { openTab, streams } from "../streams";

test("without shared workers each tab has its own stream", async ({ context, request }) => {
  await expect.poll(() => streams(request)).toBe(0);
  await context.addInitScript(() => Reflect.deleteProperty(window, "SharedWorker"));
  for (let tab = 0; tab < 2; tab += 1) {
    const page = await openTab(context, "/");
    await expect(page.locator("[data-connection=live]")).toBeAttached();
  }
  await expect.poll(() => streams(request)).toBe(2);
});
