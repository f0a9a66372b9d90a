import { expect, test } from "vitest";
import type { Environment } from "@/api/types";
import { optionProblems, optionValues, readOptions, writeOptions } from "./option-address";

const schema = { help: "", group: null, nullable: false, choices: null };
const lander = {
  options: [
    { ...schema, name: "continuous", type: "boolean", default: false },
    { ...schema, name: "gravity", type: "number", default: -10, minimum: -12, maximum: 0 },
    { ...schema, name: "map_name", type: "string", default: "4x4" },
  ],
} as unknown as Environment;
const query = new URLSearchParams("env=L&option.gravity=-5&option.none=1&option.continuous=true");

test("options are read from the address by their names in the environment", () =>
  expect(readOptions(query, lander)).toEqual({ gravity: "-5", continuous: "true" }));

test("options are used as values of their types", () =>
  expect(optionValues(lander, { gravity: "-5", continuous: "true", map_name: "8" })).toEqual({
    ...{ gravity: -5, continuous: true, map_name: "8" },
  }));

test("an invalid option is replaced by its default and reported", () => {
  expect(optionValues(lander, { gravity: "5" })).toEqual({});
  expect(optionProblems(lander, { gravity: "5" })).toEqual({ gravity: "Must be -12 to 0" });
});

test("an option can have another value for playing by hand than its default", () => {
  const steps = { ...schema, name: "steps", type: "integer", default: 1000, by_hand: 2400 };
  const game = { options: [steps] } as unknown as Environment;
  const plain = new URLSearchParams("env=G");
  expect(readOptions(plain, game)).toEqual({ steps: "2400" });
  expect(optionValues(game, readOptions(plain, game))).toEqual({ steps: 2400 });
  expect(optionValues(game, { steps: "abc" })).toEqual({ steps: 2400 });
  expect(writeOptions(plain, game, { steps: "2400" })).toBe("?env=G");
  expect(writeOptions(plain, game, { steps: "1000" })).toBe("?env=G&option.steps=1000");
  const chosen = new URLSearchParams("env=G&option.steps=1000");
  expect(readOptions(chosen, game)).toEqual({ steps: "1000" });
});

test("new options replace those in the address, without defaults", () =>
  expect(writeOptions(query, lander, { gravity: "-3.5", continuous: "false" })).toBe(
    "?env=L&option.gravity=-3.5",
  ));
