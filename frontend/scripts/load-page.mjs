// Loads a page in the Chromium of the tests and waits for a text on it: node scripts/load-page.mjs URL TEXT
import { chromium } from "@playwright/test";
import { chromiumPath } from "../e2e/chromium.mjs";

const [url, text] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(url);
  await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 120_000 });
  if (errors.length > 0) throw new Error(errors.join("\n"));
} finally {
  await browser.close();
}
