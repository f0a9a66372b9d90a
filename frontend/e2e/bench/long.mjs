import { inBrowser, longestTask, points, SETTLE } from "./observe.mjs";

/** Measures zooming into a run with very many rows: `node long.mjs URL RUN`. */
const [baseURL, run] = process.argv.slice(2);
const ZOOMS = 16;

await inBrowser(baseURL, async (context) => {
  const page = await context.newPage();
  await page.goto(`/runs/view?id=${run}`, { waitUntil: "commit" });
  await page.waitForFunction(
    () => Number(document.querySelector("[data-points]")?.getAttribute("data-points")) > 0,
  );
  await page.waitForTimeout(SETTLE);
  const held = await points(page, "Episode return");

  const cursor = page.getByRole("slider", { name: /^Episode return: Arrow keys/ });
  await cursor.focus();
  let detail = null;
  page.on("response", async (response) => {
    if (!/\/metrics\/curves\?.*from=/.test(response.url()) || !response.ok()) return;
    const { series } = await response.json();
    detail = { at: Date.now(), series };
  });
  for (let i = 0; i < ZOOMS; i += 1) await page.keyboard.press("+");
  const since = Date.now();
  const raw = ({ series }) => {
    const { x, count } = series["episode/reward"] ?? { x: [], count: -1 };
    return x.length === count;
  };
  while (Date.now() - since < 10_000 && !(detail && raw(detail))) await page.waitForTimeout(20);
  return {
    points: held,
    zoom: detail && raw(detail) ? detail.at - since : null,
    longest_task: await longestTask(page, since),
  };
});
