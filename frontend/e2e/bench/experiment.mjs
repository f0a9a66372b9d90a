import { inBrowser, longestTask } from "./observe.mjs";

/**
 * Measures the page of a large experiment: `node experiment.mjs URL ID THRESHOLD TRIALS`. Prints milliseconds until it
 * is usable (every trial and the verdict are drawn, and the page responds), from the list and by its address; the
 * duration of the requests for its results, with the default and another threshold; and the longest task on scrolling.
 */
const [baseURL, id, threshold, trials] = process.argv.slice(2);
const ASKED = new RegExp(`/api/experiments/${id}`);
const WHEELS = 30;

await inBrowser(baseURL, async (context) => {
  const address = `/experiments/view?id=${id}`;
  const cold = await context.newPage();
  await cold.goto(address, { waitUntil: "commit" });
  const usableCold = await usable(cold, 0);
  await cold.close();

  const page = await context.newPage();
  const answers = [];
  page.on("requestfinished", (request) => {
    if (ASKED.test(request.url())) answers.push(request);
  });
  await page.goto("/experiments");
  const link = page.locator(`main a[href*="${id}"]`);
  await link.waitFor();
  await page.waitForLoadState("networkidle").catch(() => undefined);
  const pressed = await page.evaluate(() => performance.now());
  await link.click();
  const fromList = await usable(page, pressed);
  const sizes = await Promise.all(answers.map((request) => request.sizes()));
  const results = waited(answers.find((request) => /\/results/.test(request.url())));

  const since = Date.now();
  await page.mouse.move(700, 500);
  for (let i = 0; i < WHEELS; i += 1) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(50);
  }
  const longest = await longestTask(page, since);

  const [other] = await Promise.all([
    page.waitForEvent("requestfinished", {
      predicate: (request) => request.url().includes(`threshold=${threshold}`),
      timeout: 60_000,
    }),
    page.getByLabel("Threshold", { exact: true }).fill(threshold),
  ]);
  return {
    ...{ usable: fromList, usable_cold: usableCold, results, other: waited(other) },
    kilobytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) / 1000,
    longest_task: longest,
  };
});

/** Milliseconds from `since` until the frame after everything is drawn. */
async function usable(page, since) {
  await page.waitForFunction(
    (count) =>
      document.querySelectorAll("td[data-status=scored]").length >= count &&
      document.querySelector("[aria-label=Verdict] h2") !== null,
    Number(trials),
    { polling: "raf", timeout: 120_000 },
  );
  return page.evaluate(
    (from) =>
      new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
      }),
    since,
  );
}

/** Milliseconds from a request to the end of its response. */
function waited(request) {
  return request.timing().responseEnd;
}
