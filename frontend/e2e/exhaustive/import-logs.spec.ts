import { expect, type Page, test } from "@playwright/test";
import { points } from "../run-page";
import { runPage, seeded } from "../seeded";

const RETURN = "Episode return";

interface File {
  name: string;
  content: string | Buffer;
}

/** Chooses a file in the dialog and uploads it. */
async function bring(page: Page, { name, content }: File) {
  const dialog = page.getByRole("dialog", { name: "Import runs" });
  const buffer = typeof content === "string" ? Buffer.from(content) : content;
  await dialog
    .getByLabel("File")
    .setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  return dialog;
}

async function openDialog(page: Page) {
  await page.goto("/");
  await page.getByRole("button", { name: "Import…" }).click();
}

/** Follows the link to the imported run, and returns its id. */
async function follow(page: Page, link: ReturnType<Page["getByRole"]>) {
  await link.click();
  await expect(page).toHaveURL(/\/runs\/view\?id=/);
  return new URL(page.url()).searchParams.get("id")!;
}

test("TensorBoard files are imported once, as one archive with their curve", async ({
  page,
  request,
}) => {
  const { good } = seeded();
  const logs = await (await request.get(`/api/runs/${good}/tensorboard`)).body();
  await page.goto(runPage(good));
  await expect.poll(() => points(page, RETURN)).toBeGreaterThan(20);
  const there = await points(page, RETURN);

  await openDialog(page);
  const dialog = await bring(page, { name: "logs.zip", content: logs });
  const id = await follow(page, dialog.getByRole("status").getByRole("link"));
  expect(id).not.toBe(good);
  await expect.poll(() => points(page, RETURN)).toBe(there);
  await expect(page.getByText("imported", { exact: true }).first()).toBeVisible();

  await openDialog(page);
  const again = await bring(page, { name: "logs.zip", content: logs });
  await expect(again.getByRole("status")).toContainText("Imported before");
  await expect(again.getByRole("button", { name: "Import anyway" })).toBeVisible();
  await request.delete(`/api/runs/${id}`);
});
