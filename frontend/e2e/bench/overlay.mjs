import { countFrames, framesSoFar, inBrowser, longestTask, SETTLE } from "./observe.mjs";

/**
 * Measures a comparison of many runs: `node overlay.mjs URL SECONDS RUN…`. Prints milliseconds until all are drawn, the
 * requests to the service for that, and the frames per second and the longest task while the pointer moves over the
 * chart for SECONDS.
 */
const [baseURL, seconds, ...runs] = process.argv.slice(2);
/** Requests for runs and their curves. Requests for evaluations, which the videos need, are not counted. */
const ASKED = /\/api\/(runs\?|metrics\/curves|compare|runs\/[^/]+$|runs\/[^/]+\/metrics)/;
/** Fewer points than each run has once its curve is loaded. */
const LEAST_POINTS = 100;

await inBrowser(baseURL, async (context) => {
  const page = await context.newPage();
  const answers = [];
  page.on("requestfinished", (request) => {
    if (ASKED.test(request.url())) answers.push(request.sizes());
  });
  const began = Date.now();
  await page.goto(`/compare?runs=${runs.join(",")}`);
  const picture = page.locator("[data-points]").first();
  await picture.waitFor();
  await page.waitForFunction((least) => {
    const chart = document.querySelector("[data-points]");
    return Number(chart.getAttribute("data-points")) >= least;
  }, LEAST_POINTS * runs.length);
  const drawn = Date.now() - began;
  const sizes = await Promise.all(answers);
  await page.waitForTimeout(SETTLE);
  await picture.scrollIntoViewIfNeeded();
  const box = await picture.boundingBox();
  await countFrames(page);
  const since = Date.now();
  const until = since + Number(seconds) * 1000;
  for (let i = 0; Date.now() < until; i += 1) {
    const share = (1 + Math.sin(i / 12)) / 2;
    const height = (1 + Math.sin(i / 5)) / 2;
    await page.mouse.move(
      box.x + box.width * (0.1 + 0.85 * share),
      box.y + box.height * (0.1 + 0.7 * height),
    );
  }
  return {
    drawn,
    requests: answers.length,
    kilobytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) / 1000,
    longest_task: await longestTask(page, since),
    ...(await framesSoFar(page)),
  };
});
