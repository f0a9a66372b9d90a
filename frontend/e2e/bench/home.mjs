import { countFrames, framesSoFar, inBrowser, longestTask, SETTLE } from "./observe.mjs";

/** Measures Home with very many runs: the time until it is usable, and its scrolling. `node home.mjs URL`. */
const [baseURL] = process.argv.slice(2);
const WHEELS = 60;
const STEADY_SECONDS = 5;

await inBrowser(baseURL, async (context) => {
  const open = async () => {
    const page = await context.newPage();
    await page.goto("/", { waitUntil: "commit" });
    await page.waitForFunction(() => document.querySelector("[role=row][data-index] a") !== null);
    return { page, usable: await page.evaluate(() => performance.now()) };
  };
  const cold = await open();
  await cold.page.close();
  const { page, usable } = await open();
  await page.waitForTimeout(SETTLE);
  const since = Date.now();
  await page.mouse.move(700, 500);
  for (let i = 0; i < WHEELS; i += 1) {
    await page.mouse.wheel(0, 1_500);
    await page.waitForTimeout(50);
  }
  await page.waitForTimeout(500);
  const longest = await longestTask(page, since);

  // As with a wheel that is turned steadily: slow enough to read, so that every row is drawn.
  await countFrames(page);
  const until = Date.now() + STEADY_SECONDS * 1000;
  while (Date.now() < until) {
    await page.mouse.wheel(0, 30);
    await page.waitForTimeout(16);
  }
  const steady = await framesSoFar(page);
  return { usable, usable_cold: cold.usable, longest_task: longest, ...steady };
});
