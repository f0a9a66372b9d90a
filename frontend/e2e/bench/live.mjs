import { inBrowser, longestTask, SETTLE } from "./observe.mjs";

/** Measures the given training runs on one chart: `node live.mjs URL SECONDS RUN…`. */
const [baseURL, seconds, ...runs] = process.argv.slice(2);

await inBrowser(baseURL, async (context) => {
  const page = await context.newPage();
  await page.goto(`/compare?runs=${runs.join(",")}`);
  await page.locator("[data-points]").first().waitFor();
  await page.waitForTimeout(SETTLE);
  const since = Date.now();
  await page.waitForTimeout(Number(seconds) * 1000);
  const until = Date.now() - 1000;
  const rows = await page.evaluate(() => window.seen.rows);
  return {
    delays: rows
      .filter(({ written, drawn }) => drawn !== null && written > since && written < until)
      .map(({ written, drawn }) => drawn - written),
    undrawn: rows.filter(({ written, drawn }) => drawn === null && written < until).length,
    gaps: gapsIn(rows),
    runs: new Set(rows.map(({ run }) => run)).size,
    longest_task: await longestTask(page, since),
  };
});

/** The number of duplicate rows, and of missing rows between the first and the last. */
function gapsIn(rows) {
  const seqs = new Map();
  for (const { run, seq } of rows) seqs.set(run, [...(seqs.get(run) ?? []), seq]);
  let gaps = 0;
  for (const all of seqs.values()) {
    const distinct = new Set(all);
    gaps += Math.max(...all) - Math.min(...all) + 1 - distinct.size;
  }
  return gaps;
}
