import { expect, test } from "vitest";
import { readHighlight, writeHighlight } from "./highlight";

test("a highlight round-trips through the address", () => {
  const query = new URLSearchParams("id=a");
  writeHighlight(query, { metric: "train/approx_kl", steps: [0, 4000] });
  expect(query.toString()).toBe("id=a&chart=train%2Fapprox_kl&from=0&to=4000");
  expect(readHighlight(query)).toEqual({ metric: "train/approx_kl", steps: [0, 4000] });
  writeHighlight(query, null);
  expect(query.toString()).toBe("id=a");
});

test.each([
  "",
  "chart=a",
  "chart=a&from=1",
  "chart=a&from=&to=3",
  "chart=a&from=x&to=y",
  "chart=a&from=5&to=4",
])("%j is no highlight", (search) => expect(readHighlight(new URLSearchParams(search))).toBeNull());
