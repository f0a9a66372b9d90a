import { expect, test } from "vitest";
import { csvCell, csvOf } from "./csv";

test.each([
  ["=1+1", "'=1+1"],
  ["+a", "'+a"],
  ["-a", "'-a"],
  ["@a", "'@a"],
  ["\tx", "'\tx"],
  ["\n=1", '"\'\n=1"'],
  ["'=1", "''=1"],
  ['a,"b"', '"a,""b"""'],
  ["=a,b", '"\'=a,b"'],
  ["x\ny", '"x\ny"'],
  [-3, "-3"],
  [true, "true"],
  [null, ""],
])("the cell %j is written as %j", (value, text) => expect(csvCell(value)).toBe(text));

test("every line ends with a line break, including the last one", () =>
  expect(csvOf([["name"], ["a"]])).toBe("name\r\na\r\n"));
