import { expect, test } from "vitest";
import { addressOf, routeOf } from "./root-path";

test.each(["/", "/?new", "/runs/view?id=a", "/rl/x"])(
  "the route %s round-trips through its address",
  (route) => {
    for (const root of ["", "/rl", "/user/me/proxy/8000"])
      expect(routeOf(addressOf(route, root), root)).toBe(route);
  },
);

test("addresses contain the root path, and other addresses are unchanged", () => {
  expect(addressOf("/compare", "/rl")).toBe("/rl/compare");
  expect(routeOf("/rlviz/compare", "/rl")).toBe("/rlviz/compare");
  expect(routeOf("https://elsewhere.example/rl/", "/rl")).toBe("https://elsewhere.example/rl/");
});
