import { type APIRequestContext, type BrowserContext, expect, test } from "@playwright/test";
import { runPage, seeded } from "../seeded";

/** As many as a browser has connections to one host. */
const TABS = 6;

async function streams(request: APIRequestContext): Promise<number> {
  // A connection that was kept may be closed by the service just as it is used.
  const answer = await request.get("/metrics", { headers: { connection: "close" } });
  const figures = await answer.text();
  return Number(/^rlviz_streams (\d+)/m.exec(figures)?.[1]);
}

async function openTab(context: BrowserContext, address: string) {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

test("all tabs share one stream, which ends with the last of them", async ({
  context,
  request,
}) => {
  const { live } = seeded();
  await expect.poll(() => streams(request)).toBe(0);
  const tabs = [];
  for (let tab = 0; tab < TABS + 1; tab += 1) {
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

test("without shared workers each tab has a stream of its own", async ({ context, request }) => {
  await expect.poll(() => streams(request)).toBe(0);
  await context.addInitScript(() => Reflect.deleteProperty(window, "SharedWorker"));
  for (let tab = 0; tab < 2; tab += 1) {
    const page = await openTab(context, "/");
    await expect(page.locator("[data-connection=live]")).toBeAttached();
  }
  await expect.poll(() => streams(request)).toBe(2);
});
