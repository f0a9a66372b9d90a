import { expect, test } from "vitest";
import { parseNumber } from "./number";

test.each([
  ["200k", 200_000],
  ["1e6", 1_000_000],
  ["1E6", 1_000_000],
  ["1.5M", 1_500_000],
  ["1.1k", 1_100],
  ["2 m", 2_000_000],
  ["1B", 1_000_000_000],
  ["50000", 50_000],
  ["50,000", 50_000],
  ["50_000", 50_000],
  ["1,000k", 1_000_000],
  [" 5e4 ", 50_000],
  ["-110", -110],
  [".5", 0.5],
  ["3e-4", 0.0003],
])("%j is %d", (text, value) => expect(parseNumber(text)).toBe(value));

test.each(["", " ", "k", "0x10", "5,00", "1e3k", "Infinity", "1e", "1 000", "12 apples", "5kk"])(
  "%j is not a number",
  (text) => expect(parseNumber(text)).toBeNaN(),
);
