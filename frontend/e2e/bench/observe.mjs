import { chromium } from "@playwright/test";
import { chromiumPath } from "../chromium.mjs";

/** Milliseconds to wait after loading until the page is idle. */
export const SETTLE = 3_000;

/** Opens a page that records long tasks, and when rows arrive and are drawn, and passes it to `measure`. */
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

/** Runs in the page before its own scripts. */
function observe() {
  const seen = { rows: [], tasks: [], drawn: 0 };
  window.seen = seen;
  const now = () => performance.timeOrigin + performance.now();

  let pending = [];
  const note = (data) => {
    const { run_id: run, rows } = typeof data === "string" ? JSON.parse(data) : data;
    for (const { seq, time } of rows) {
      const row = { run, seq, written: time * 1000, drawn: null };
      seen.rows.push(row);
      pending.push(row);
    }
  };
  // Pages share one stream, whose messages come from a shared worker.
  const Shared = window.SharedWorker;
  window.SharedWorker = class extends Shared {
    constructor(...args) {
      super(...args);
      this.port.addEventListener("message", ({ data: { kind, message } }) => {
        if (kind === "message" && message.type === "metrics") note(message.data);
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

/** The longest task after `since` (Unix ms). Browsers report only tasks above 50 ms, so 0 means none. */
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

/** Starts to count the frames of the page. */
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

/** Frames per second since then, and the longest frame in milliseconds. */
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
