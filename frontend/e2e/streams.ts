import type { APIRequestContext, BrowserContext } from "@playwright/test";

/** The number of streams that the service has open. */
export async function streams(request: APIRequestContext): Promise<number> {
  // The service may close a connection that was kept just as it is used.
  const answer = await request.get("/metrics", { headers: { connection: "close" } });
  const figures = await answer.text();
  return Number(/^rlviz_streams (\d+)/m.exec(figures)?.[1]);
}

export async function openTab(context: BrowserContext, address: string) {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}
