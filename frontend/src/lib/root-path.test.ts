import { expect, test } from "vitest";
import { addressOf, routeOf } from "./root-path";

test.each(["/", "/?new", "/runs/view?id=a", "/rl/x"])(
  "the route %s is the same again once it was an address",
  (route) => {
    for (const root of ["", "/rl", "/user/me/proxy/8000"])
      expect(routeOf(addressOf(route, root), root)).toBe(route);
  },
);

test("an address below the root path leads there", () => {
  expect(addressOf("/compare", "/rl")).toBe("/rl/compare");
  expect(routeOf("/rlviz/compare", "/rl")).toBe("/rlviz/compare");
  expect(routeOf("https://elsewhere.example/rl/", "/rl")).toBe("https://elsewhere.example/rl/");
});
