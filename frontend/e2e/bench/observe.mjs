import { chromium } from "@playwright/test";
import { chromiumPath } from "../chromium.mjs";

/** Milliseconds that the page is given to come to rest after loading. */
export const SETTLE = 3_000;

/** Opens a page that notes rows as they arrive and are drawn, and every long task; hands it to `measure`. */
export async function inBrowser(baseURL, measure) {
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } });
    await context.addInitScript(observe);
    process.stdout.write(`${JSON.stringify(await measure(context))}\n`);
  } finally {
    await browser.close();
  }
}

/** Runs in the page, before the page's own scripts. */
function observe() {
  const seen = { rows: [], tasks: [], drawn: 0 };
  window.seen = seen;
  const now = () => performance.timeOrigin + performance.now();

  let pending = [];
  const Native = window.EventSource;
  window.EventSource = class extends Native {
    constructor(...args) {
      super(...args);
      this.addEventListener("metrics", ({ data }) => {
        const { run_id: run, rows } = JSON.parse(data);
        for (const { seq, time } of rows) {
          const row = { run, seq, written: time * 1000, drawn: null };
          seen.rows.push(row);
          pending.push(row);
        }
      });
    }
  };

  // A chart writes the revision of the data that it shows beside its picture; the frame follows.
  new MutationObserver(() => {
    const shown = pending;
    pending = [];
    requestAnimationFrame(() => {
      seen.drawn = now();
      for (const row of shown) row.drawn = seen.drawn;
    });
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["data-revision"] });

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      seen.tasks.push({ at: performance.timeOrigin + startTime, duration });
    }
  }).observe({ type: "longtask", buffered: true });
}

/** The longest task after `since` (Unix ms); browsers tell of those above 50 ms only, so 0 means none. */
export function longestTask(page, since) {
  return page.evaluate(
    (from) =>
      Math.max(
        0,
        ...window.seen.tasks.filter(({ at }) => at > from).map(({ duration }) => duration),
      ),
    since,
  );
}

/** Begins to count the frames of the page. */
export function countFrames(page) {
  return page.evaluate(() => {
    window.frames = [];
    const tick = (now) => {
      window.frames.push(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}

/** Frames a second since then, and the longest that one took in milliseconds. */
export async function framesSoFar(page) {
  const frames = await page.evaluate(() => window.frames);
  const gaps = frames.slice(1).map((at, i) => at - frames[i]);
  const seconds = (frames.at(-1) - frames[0]) / 1000;
  return { frames_a_second: gaps.length / seconds, slowest_frame: Math.max(...gaps) };
}

export const points = (page, title) =>
  page
    .getByRole("region", { name: title, exact: true })
    .locator("[data-points]")
    .getAttribute("data-points")
    .then(Number);
