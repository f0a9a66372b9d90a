import { countFrames, framesSoFar, inBrowser, SETTLE } from "./observe.mjs";

/**
 * Many runs in one comparison: `node overlay.mjs URL SECONDS RUN…`. Milliseconds until all are drawn, what was asked of
 * the service for that, and the frames a second while the pointer moves over the chart for so many seconds.
 */
const [baseURL, seconds, ...runs] = process.argv.slice(2);
/** What is asked of runs and their curves. Their evaluations, for the videos, are not counted. */
const ASKED = /\/api\/(runs\?|metrics\/curves|compare|runs\/[^/]+$|runs\/[^/]+\/metrics)/;

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
  // Every series of the legend has its newest value once its curve has come.
  await page.waitForFunction((count) => {
    const values = [...document.querySelectorAll("button[aria-pressed] b")];
    return values.filter(({ textContent }) => /\d/.test(textContent)).length >= count;
  }, runs.length);
  const drawn = Date.now() - began;
  const sizes = await Promise.all(answers);
  await page.waitForTimeout(SETTLE);
  await picture.scrollIntoViewIfNeeded();
  const box = await picture.boundingBox();
  await countFrames(page);
  const until = Date.now() + Number(seconds) * 1000;
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
    ...(await framesSoFar(page)),
  };
});
