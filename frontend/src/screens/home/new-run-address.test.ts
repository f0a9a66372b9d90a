import { expect, test } from "vitest";
import { readNewRunAddress, writeNewRunAddress } from "./home";

const query = (search: string) => new URLSearchParams(search);

test.each([
  ["", { open: false }],
  ["?new", { open: true, duplicate: null, environment: null }],
  ["?q=x&new=", { open: true, duplicate: null, environment: null }],
  ["?new=ALE%2FPong-v5", { open: true, duplicate: null, environment: "ALE/Pong-v5" }],
  ["?duplicate=ppo-a", { open: true, duplicate: "ppo-a", environment: null }],
  ["?duplicate=", { open: false }],
])("%j asks for %j", (search, asked) => expect(readNewRunAddress(query(search))).toEqual(asked));

test("opening and closing the form does not change the filter of the list", () => {
  expect(
    writeNewRunAddress(query("?q=x"), { open: true, duplicate: null, environment: null }),
  ).toBe("?q=x&new");
  expect(
    writeNewRunAddress(query("?q=x&new"), { open: true, duplicate: "a", environment: null }),
  ).toBe("?q=x&duplicate=a");
  expect(writeNewRunAddress(query("?new&q=x"), { open: false })).toBe("?q=x");
  expect(writeNewRunAddress(query("?new"), { open: false })).toBe("");
});
