import { expect, test } from "@playwright/test";

/** Bytes of page, scripts, styles and data that Home may cost the first time it is opened; the typeface is kept apart. */
const BUDGET = 200_000;

test("Home costs little to open for the first time, as it comes over the wire", async ({
  page,
}) => {
  const bodies: Promise<[string, number]>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().includes("/api/stream")) return;
    bodies.push(request.sizes().then((sizes) => [request.url(), sizes.responseBodySize]));
  });
  await page.goto("/");
  await expect(page.getByRole("link", { name: "New run" }).first()).toBeVisible();
  await page.waitForLoadState("load");
  const sizes = await Promise.all(bodies);
  const scripts = sizes.filter(([url]) => url.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(0);
  const texts = sizes.filter(([url]) => !url.endsWith(".woff2"));
  const sum = texts.reduce((total, [, size]) => total + size, 0);
  expect(sum, sizes.map(([url, size]) => `${url} ${size}`).join("\n")).toBeLessThanOrEqual(BUDGET);
});
