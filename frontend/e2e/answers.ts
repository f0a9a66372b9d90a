import type { Page, Route } from "@playwright/test";

/** What Playwright says of an answer whose page has been left, or closed, meanwhile. */
const LEFT = /Response has been disposed|has been closed/;

/** Stands in for single answers of the service, for states that a seeded folder cannot hold. */
export async function answer(page: Page, path: RegExp, change: (body: never) => unknown) {
  await page.route(ofApi(path), async (route) => {
    try {
      const response = await route.fetch();
      await route.fulfill({ response, json: change((await response.json()) as never) });
    } catch (error) {
      if (!LEFT.test(String(error))) throw error;
    }
  });
}

/** An answer that never comes. */
export async function silence(page: Page, path: RegExp) {
  await page.route(ofApi(path), () => new Promise<void>(() => {}));
}

export async function refuse(page: Page, path: RegExp, status = 500) {
  const json = {
    type: "about:blank",
    title: "The catalogue is busy",
    status,
    detail: "Another process holds the database; it is usually free again in a moment.",
  };
  await page.route(ofApi(path), (route: Route) =>
    route.fulfill({ status, json, contentType: "application/problem+json" }),
  );
}

export const emptyList = { runs: [], total: 0, next_cursor: null };

/** The path after `/api`, whatever the query; a page may have the same path without it. */
function ofApi(path: RegExp) {
  return ({ pathname }: URL) =>
    pathname.startsWith("/api/") && path.test(pathname.slice("/api".length));
}
