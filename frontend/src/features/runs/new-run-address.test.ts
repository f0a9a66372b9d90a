import { expect, test } from "vitest";
import { readNewRunAddress, writeNewRunAddress } from "./new-run-address";

const query = (search: string) => new URLSearchParams(search);

test.each([
  ["", { open: false }],
  ["?new", { open: true, duplicate: null }],
  ["?q=x&new=1", { open: true, duplicate: null }],
  ["?duplicate=ppo-a", { open: true, duplicate: "ppo-a" }],
  ["?duplicate=", { open: false }],
])("%j asks for %j", (search, asked) => expect(readNewRunAddress(query(search))).toEqual(asked));

test("opening and closing the form leaves the list's filter alone", () => {
  expect(writeNewRunAddress(query("?q=x"), { open: true, duplicate: null })).toBe("?q=x&new");
  expect(writeNewRunAddress(query("?q=x&new"), { open: true, duplicate: "a" })).toBe(
    "?q=x&duplicate=a",
  );
  expect(writeNewRunAddress(query("?new&q=x"), { open: false })).toBe("?q=x");
  expect(writeNewRunAddress(query("?new"), { open: false })).toBe("");
});
