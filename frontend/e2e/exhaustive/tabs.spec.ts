import { expect, test } from "@playwright/test";
import { runPage, seeded } from "../seeded";
import { openTab, streams } from "../streams";

/** The connection limit of a browser for one host. */
const TABS = 6;

test("tabs opened in the background have no stream until they are visible", async ({
  context,
  request,
}) => {
  const { live } = seeded();
  await expect.poll(() => streams(request)).toBe(0);
  await context.addInitScript(() => {
    const of = new URLSearchParams(window.location.search);
    if (!of.has("hidden")) return;
    Object.defineProperty(document, "visibilityState", {
      get: () => ((window as { seen?: boolean }).seen ? "visible" : "hidden"),
    });
  });
  const hidden = [];
  for (let tab = 0; tab < TABS; tab += 1)
    hidden.push(await openTab(context, `${runPage(live[0]!)}&hidden`));
  expect(await streams(request)).toBe(0);

  const seen = await openTab(context, "/");
  await expect(seen.locator("[data-connection=live]")).toBeAttached();
  await hidden[0]!.evaluate(() => {
    (window as { seen?: boolean }).seen = true;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await expect(hidden[0]!.locator("[data-connection=live]")).toBeAttached();
  await expect.poll(() => streams(request)).toBe(1);
});

test("more tabs than the connection limit of a browser share one stream", async ({
  context,
  request,
}) => {
  const { live } = seeded();
  await expect.poll(() => streams(request)).toBe(0);
  for (let tab = 0; tab < TABS + 1; tab += 1) {
    const page = await openTab(context, runPage(live[tab % live.length]!));
    await expect(page.locator("[data-connection=live]")).toBeAttached();
  }
  await expect.poll(() => streams(request)).toBe(1);
});
