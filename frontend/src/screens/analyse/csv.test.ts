import { expect, it } from "vitest";
import { answerCsv } from "./answer";

it("quotes special characters, leaves null empty and keeps formulas as text", () => {
  const rows = [
    ["a,b", 1.5, null],
    ['say "hi"', true, [1, 2]],
    ["=1+1", -2, null],
  ];
  expect(answerCsv({ columns: ["name", "x\ny", "z"], rows })).toBe(
    'name,"x\ny",z\r\n"a,b",1.5,\r\n"say ""hi""",true,"[1,2]"\r\n\'=1+1,-2,\r\n',
  );
});
