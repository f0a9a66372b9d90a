import { expect, test } from "@playwright/test";
import { pathProxy } from "../path-proxy";
import { points } from "../run-page";
import { comparePage, experimentPage, runPage, seeded } from "../seeded";

test("behind a proxy with a root path the app works as at the top", async ({ page, baseURL }) => {
  const proxy = await pathProxy(baseURL!, "/user/me/proxy/8000");
  const { origin } = new URL(proxy.url);
  const prefix = new URL(proxy.url).pathname.slice(0, -1);
  const wrong: string[] = [];
  page.on("response", (answer) => {
    const { pathname } = new URL(answer.url());
    const isOurs = answer.url().startsWith(origin);
    if (isOurs && (answer.status() >= 400 || !pathname.startsWith(`${prefix}/`)))
      wrong.push(`${answer.status()} ${answer.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));

  const { good, slow, live, small } = seeded();
  await page.goto(proxy.url);
  await expect(page.locator("[data-connection=live]")).toBeAttached();

  // A row's link is plain, that of the navigation a Link, and New run changes the query alone.
  await page.goto(`${proxy.url}?q=baseline`);
  const row = page.getByRole("rowheader").getByRole("link").first();
  expect(await row.getAttribute("href")).toMatch(new RegExp(`^${prefix}/`));
  await row.click();
  await expect(page).toHaveURL(new RegExp(`${prefix}/(runs/view|compare)`));
  await page.getByRole("link", { name: "Runs", exact: true }).first().click();
  await expect(page).toHaveURL(new RegExp(`${prefix}/(\\?.*)?$`));
  await page.getByRole("link", { name: "New run" }).first().click();
  await expect(page.getByRole("form", { name: "New run" })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(`${prefix}/`);

  for (const address of [comparePage(good, slow), experimentPage(small), "/explain", "/storage"]) {
    await page.goto(`${origin}${prefix}${address}`);
    await expect(page.locator("[data-connection=live]")).toBeAttached();
  }

  // An environment is played through a WebSocket.
  const opened = page.waitForEvent("websocket");
  await page.goto(`${origin}${prefix}/play?env=CartPole-v1`);
  const socket = await opened;
  expect(new URL(socket.url()).pathname).toMatch(new RegExp(`^${prefix}/api/sessions/`));
  await socket.waitForEvent("framereceived");

  // Rows of a run that trains come through the stream.
  await page.goto(`${origin}${prefix}${runPage(live[0]!)}`);
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(0);
  const before = await points(page, "Episode return");
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(before);

  expect(wrong).toEqual([]);
  await proxy.close();
});

test("a page not configured for its root path says what to set", async ({ page, baseURL }) => {
  const proxy = await pathProxy(baseURL!, "/unknown");
  // As from a proxy that names no path.
  await page.route("**", async (route) => {
    const url = route
      .request()
      .url()
      .replace(`${new URL(proxy.url).origin}/unknown`, baseURL!);
    const answer = await route.fetch({ url });
    await route.fulfill({ response: answer });
  });
  await page.goto(`${proxy.url}compare`);
  await expect(page.getByText("Start the service with RLVIZ_ROOT_PATH=/unknown")).toBeVisible();
  await proxy.close();
});
