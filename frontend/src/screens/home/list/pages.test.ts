import { describe, expect, test } from "vitest";
import { pagesAround, pagesOf } from "./lines";

describe("pages", () => {
  test.each([
    ["the beginning", 0, 12, 1000, [0]],
    ["near a page's end", 40, 52, 1000, [0, 1]],
    ["the middle", 600, 612, 1000, [9, 10]],
    ["the end", 985, 999, 1000, [15, 16]],
    ["a short list", 0, 3, 4, [0]],
    ["an empty list", 0, 0, 0, []],
  ])("around %s", (_, first, last, total, pages) =>
    expect(pagesAround(first, last, total, 60)).toEqual(pages),
  );

  test("a range loads the pages it covers", () => expect(pagesOf(59, 121, 60)).toEqual([0, 1, 2]));
});
