import { expect, type Request, test } from "@playwright/test";
import { runPage, seeded } from "../seeded";

/** Maximum bytes of page, scripts and styles on the first load of Home, without fonts and data. */
const BUDGET = 210_000;

test("Home transfers little on its first load", async ({ page }) => {
  const bodies: Promise<[string, number]>[] = [];
  page.on("requestfinished", (request) => {
    const size = request.sizes().then(
      ({ responseBodySize }) => responseBodySize,
      () => 0, // the page was closed before a request that nobody waits for was measured
    );
    bodies.push(size.then((bytes) => [request.url(), bytes]));
  });
  const answer = await page.goto("/");
  const html = (await answer?.text()) ?? "";
  await expect(page.getByRole("link", { name: "New run" }).first()).toBeVisible();
  await page.waitForLoadState("load");
  // What the page itself names: other pages are prefetched, and data asked for, at moments that differ.
  const sizes = (await Promise.all(bodies)).filter(([url]) => {
    const { pathname } = new URL(url);
    return pathname === "/" || (/\.(js|css)$/.test(pathname) && html.includes(`"${pathname}`));
  });
  expect(sizes.filter(([url]) => url.endsWith(".js")).length).toBeGreaterThan(0);
  const sum = sizes.reduce((total, [, size]) => total + size, 0);
  expect(sum, sizes.map(([url, size]) => `${url} ${size}`).join("\n")).toBeLessThanOrEqual(BUDGET);
  expect(sum).toBeGreaterThan(BUDGET / 2);
});

/** Maximum requests until the first curve of a run is drawn, and how many of them the service computes. */
const MOST_REQUESTS = 30;
const MOST_API_CALLS = 4;

test("the page of a run draws its first curve after a few requests and preloads no other page", async ({
  page,
}) => {
  const sent: Request[] = [];
  page.on("request", (request) => sent.push(request));
  const timed: { url: string; at: number }[] = [];
  const devtools = await page.context().newCDPSession(page);
  devtools.on("Network.requestWillBeSent", ({ request, wallTime }) =>
    timed.push({ url: request.url, at: wallTime * 1000 }),
  );
  await devtools.send("Network.enable");
  // By the browser's clock: on a busy machine the test hears of the curve only after later requests.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const points = document.querySelector("[data-points]")?.getAttribute("data-points");
      if (!(Number(points) > 0)) return;
      observer.disconnect();
      document.documentElement.dataset.curveAt = String(performance.timeOrigin + performance.now());
    }).observe(document, { subtree: true, childList: true, attributeFilter: ["data-points"] });
  });
  await page.goto(runPage(seeded().good), { waitUntil: "commit" });
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-curve-at", /\d/);
  const curveAt = Number(await root.getAttribute("data-curve-at"));
  const urls = timed.filter(({ at }) => at <= curveAt).map(({ url }) => url);
  expect(urls.length).toBeGreaterThan(0);
  const api = urls.filter((url) => new URL(url).pathname.startsWith("/api/"));
  expect(urls.length, urls.join("\n")).toBeLessThanOrEqual(MOST_REQUESTS);
  expect(api.length, api.join("\n")).toBeLessThanOrEqual(MOST_API_CALLS);
  // One request answers the curves too. The page itself sends it, and not its code: the curve is two round trips away.
  const opening = sent.filter((request) => /\/api\/runs\/[^/]+\/page\?/.test(request.url()));
  expect(opening).toHaveLength(1);
  expect(api.filter((url) => url.includes("/metrics/curves"))).toEqual([]);
  await expect(page.getByRole("heading", { name: "Episode return" })).toBeVisible();
  // What the page shows besides its curve follows.
  await expect
    .poll(() => sent.filter((request) => /\/evaluations$/.test(request.url())).length)
    .toBe(1);
  const ofOtherPages = () =>
    sent.map((request) => new URL(request.url()).pathname).filter((path) => /__next/.test(path));
  expect(ofOtherPages()).toEqual([]);
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Compare" })
    .hover();
  await expect.poll(() => ofOtherPages().some((path) => path.startsWith("/compare"))).toBe(true);
});

test("Home asks for its list once, before its code has loaded", async ({ page }) => {
  const api: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) api.push(pathname);
  });
  await page.goto("/");
  await expect(page.locator("[role=row][data-index]").first()).toBeVisible();
  // Sent by what mounts with the rows: a second request for the list would be among those before it.
  await expect.poll(() => api).toContain("/api/algorithms");
  expect(api[0]).toBe("/api/runs");
  expect(api.filter((path) => path === "/api/runs")).toHaveLength(1);
});
