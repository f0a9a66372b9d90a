import { inBrowser } from "./observe.mjs";

/**
 * Measures the page of a run, opened twice in a new browser: `node page.mjs URL RUN POINTS`. Prints milliseconds until
 * its first chart is drawn with at least POINTS points (0 for a run without rows), and the requests until then.
 */
const [baseURL, run, points] = process.argv.slice(2);

await inBrowser(baseURL, async (context) => {
  const open = async () => {
    const page = await context.newPage();
    const sent = [];
    page.on("request", (request) => sent.push(new URL(request.url()).pathname));
    await page.goto(`/runs/view?id=${run}`, { waitUntil: "commit" });
    await page.waitForFunction((least) => {
      const chart = document.querySelector("[data-points]");
      if (Number(chart?.getAttribute("data-points") ?? 0) < least) return false;
      return Number(chart?.getAttribute("data-revision")) > 0 && window.seen.drawn > 0;
    }, Number(points));
    const requests = sent.length;
    const calls = sent.filter((path) => path.startsWith("/api/")).length;
    const drawn = await page.evaluate(() => window.seen.drawn - performance.timeOrigin);
    await page.close();
    return { requests, calls, drawn };
  };
  const cold = await open();
  const warm = await open();
  return { cold: cold.drawn, warm: warm.drawn, requests: cold.requests, calls: cold.calls };
});
