import { inBrowser, SETTLE } from "./observe.mjs";

/** Hovering over the curves of many runs: `node overlay.mjs URL SECONDS RUN…`. Frames a second, and the slowest. */
const [baseURL, seconds, ...runs] = process.argv.slice(2);

await inBrowser(baseURL, async (context) => {
  const page = await context.newPage();
  const began = Date.now();
  await page.goto(`/compare?runs=${runs.join(",")}`);
  const picture = page.locator("[data-points]").first();
  await picture.waitFor();
  await page.waitForFunction(
    (count) => document.querySelectorAll("[data-points] ~ *, [aria-pressed]").length >= count,
    runs.length,
  );
  const drawn = Date.now() - began;
  await page.waitForTimeout(SETTLE);
  await picture.scrollIntoViewIfNeeded();
  const box = await picture.boundingBox();
  await page.evaluate(() => {
    window.frames = [];
    const tick = (now) => {
      window.frames.push(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const until = Date.now() + Number(seconds) * 1000;
  for (let i = 0; Date.now() < until; i += 1) {
    const share = (1 + Math.sin(i / 12)) / 2;
    const height = (1 + Math.sin(i / 5)) / 2;
    await page.mouse.move(
      box.x + box.width * (0.1 + 0.85 * share),
      box.y + box.height * (0.1 + 0.7 * height),
    );
  }
  const frames = await page.evaluate(() => window.frames);
  const gaps = frames.slice(1).map((at, i) => at - frames[i]);
  const span = (frames.at(-1) - frames[0]) / 1000;
  return {
    runs: runs.length,
    drawn_ms: drawn,
    frames_a_second: Math.round(gaps.length / span),
    slowest_frame_ms: Math.round(Math.max(...gaps)),
  };
});
