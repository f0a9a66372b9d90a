import { expect, it } from "vitest";
import { csvOf } from "./csv";

it("quotes what would break a line or a cell, and leaves null empty", () => {
  const rows = [
    ["a,b", 1.5, null],
    ['say "hi"', true, [1, 2]],
  ];
  expect(csvOf({ columns: ["name", "x\ny", "z"], rows })).toBe(
    'name,"x\ny",z\r\n"a,b",1.5,\r\n"say ""hi""",true,"[1,2]"\r\n',
  );
});
