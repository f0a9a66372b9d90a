import { expect, test, vi } from "vitest";
import { http, unwrap } from "./http";
import * as login from "./login";

test("the login returns to the page with its query, whatever it contains", () => {
  const href = login.loginHref({ pathname: "/compare", search: "?runs=a,b&x=%26" });
  expect(new URL(href, "http://here").searchParams.get("next")).toBe("/compare?runs=a,b&x=%26");
});

test("a response that requires the token leads to the login", async () => {
  const leave = vi.spyOn(login, "leaveFor").mockImplementation(() => undefined);
  vi.stubGlobal("window", { location: { pathname: "/runs/view", search: "?id=a" } });
  vi.stubGlobal("fetch", async () => Response.json({ title: "Unauthorized" }, { status: 401 }));
  await expect(unwrap(http.GET("/health"))).rejects.toMatchObject({ status: 401 });
  expect(leave).toHaveBeenCalledWith("/login?next=%2Fruns%2Fview%3Fid%3Da");
});
