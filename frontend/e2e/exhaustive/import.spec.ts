import { expect, type Page, test } from "@playwright/test";
import { chart, points } from "../run-page";

const RETURN = "Episode return";
const MONITOR = [
  '#{"t_start": 1795000000.0, "env_id": "CartPole-v1"}',
  "r,l,t",
  ...Array.from({ length: 60 }, (_, i) => `${20 + i}.0,${20 + i},${(i + 1) / 10}`),
].join("\n");

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

test("Stable-Baselines3 logs are imported with their curve, and invalid files are refused @phone", async ({
  page,
  request,
}) => {
  await openDialog(page);
  for (const [file, reason] of [
    [{ name: "logs.zip", content: "no archive" }, /logs\.zip.* is not a complete zip archive/],
    [{ name: "monitor.csv", content: "r,l,t\n1,2\n" }, /monitor\.csv/],
    [{ name: "notes.txt", content: "Nothing that anybody logged." }, /notes\.txt/],
  ] as const) {
    const dialog = await bring(page, file);
    await expect(dialog.getByRole("alert")).toContainText("Nothing was imported");
    await expect(dialog.getByRole("alert")).toContainText(reason);
  }
  const dialog = await bring(page, { name: "monitor.csv", content: MONITOR });
  await expect(dialog.getByRole("status")).toContainText("One run was imported");
  const id = await follow(page, dialog.getByRole("status").getByRole("link"));
  await expect.poll(() => points(page, RETURN)).toBeGreaterThanOrEqual(60); // smoothed ones count too
  await expect(chart(page, RETURN)).toBeVisible();
  await expect(page.getByText("CartPole-v1").filter({ visible: true }).first()).toBeVisible();
  await request.delete(`/api/runs/${id}`);
});
