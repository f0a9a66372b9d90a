import { expect, test } from "@playwright/test";
import { boxOf, chart, chartCursor, status } from "../run-page";
import { runPage, seeded } from "../seeded";

const RETURN = "Episode return";
const OTHER = "Explained variance";

test("all charts zoom together by pointer and by key, and are read with arrow keys", async ({
  page,
}) => {
  await page.goto(runPage(seeded().good, "charts"));
  const cursor = chartCursor(page, RETURN);
  const other = chartCursor(page, OTHER);
  await expect(cursor).toHaveAttribute("aria-valuemin", "0");
  await expect(other).toHaveAttribute("aria-valuemin", "0");
  const whole = await other.getAttribute("aria-valuemax");

  // What comes above it may move the chart between its measurement and the drag.
  const placed = async () => await boxOf(chart(page, RETURN));
  await expect(async () => {
    const box = await placed();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await expect(cursor).not.toHaveAttribute("aria-valuemin", "0", { timeout: 5_000 });
  }).toPass();
  await expect(other).toHaveAttribute(
    "aria-valuemin",
    (await cursor.getAttribute("aria-valuemin"))!,
  );
  const box = await placed();
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await expect(other).toHaveAttribute("aria-valuemax", whole!);

  await cursor.focus();
  await page.keyboard.press("Home");
  await expect(cursor).toHaveAttribute("aria-valuetext", /^step \d/i);
  const first = await cursor.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  await expect(cursor).not.toHaveAttribute("aria-valuetext", first!);
  await page.keyboard.press("+");
  await expect(other).not.toHaveAttribute("aria-valuemax", whole!);
  await page.keyboard.press("Escape");
  await expect(other).toHaveAttribute("aria-valuemax", whole!);
});

test("a failed run names its cause @phone", async ({ page }) => {
  const { failed, interrupted } = seeded();
  await page.goto(runPage(failed));
  await expect(status(page, "failed")).toBeVisible();
  await expect(page.getByText(/ValueError: Expected logits, found nan/).first()).toBeVisible();
  await page.goto(runPage(interrupted));
  await expect(status(page, "interrupted")).toBeVisible();
  await expect(
    page.getByText(/killed the worker \(signal 9\) because it ran out of memory/).first(),
  ).toBeVisible();
});
