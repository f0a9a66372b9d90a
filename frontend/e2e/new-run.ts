import type { Locator, Page } from "@playwright/test";

/** The form of a new run, with the fields below More in view. The browser remembers whether they are open. */
export async function openMore(page: Page): Promise<Locator> {
  const form = page.getByRole("form", { name: "New run" });
  await form.waitFor();
  if (!(await form.getByLabel("Timesteps").isVisible())) {
    await form.getByText("More", { exact: true }).click();
  }
  return form;
}
