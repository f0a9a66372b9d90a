import { expect, test } from "vitest";
import { rateChoices } from "./transport";

const labels = (usual: number, now: number) => rateChoices(usual, now).map(({ label }) => label);

test("speeds are multiples of the default up to the maximum of the service", () => {
  expect(labels(15, 15)).toEqual(["0.25×", "0.5×", "1×", "2×", "4×"]);
  expect(labels(30, 30)).toEqual(["0.25×", "0.5×", "1×", "2×"]);
});

test("the current speed is always among them", () =>
  expect(labels(15, 20)).toEqual(["0.25×", "0.5×", "1×", "1.33×", "2×", "4×"]));

test("before a session starts only the default speed is offered", () =>
  expect(labels(0, 0)).toEqual(["1×"]));
