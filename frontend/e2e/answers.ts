import type { Page, Route } from "@playwright/test";

/** Playwright's error for a response whose page was left or closed in the meantime. */
const LEFT = /Response has been disposed|has been closed/;

/** Replaces single responses of the service, for states that a seeded folder cannot contain. */
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

/** A response that never arrives. */
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

/** Matches the path after `/api` with any query. A page may have the same path without `/api`. */
function ofApi(path: RegExp) {
  return ({ pathname }: URL) =>
    pathname.startsWith("/api/") && path.test(pathname.slice("/api".length));
}
