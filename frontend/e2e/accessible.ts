import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** The accessibility rules that the page breaks, each with the offending elements. */
export async function broken(page: Page, only?: string[]) {
  // Only violations are collected, in the page itself: describing the elements that pass takes most of the time.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  const { violations } = await (only ? axe.withRules(only) : axe).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 300)).join(" | ")}`,
  );
}
