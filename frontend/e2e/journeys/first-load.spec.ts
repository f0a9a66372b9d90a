import { expect, test } from "@playwright/test";

/** Bytes of page, scripts and styles that Home may cost the first time it is opened; typefaces and data are kept apart. */
const BUDGET = 210_000;

test("Home costs little to open for the first time, as it comes over the wire", async ({
  page,
}) => {
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
