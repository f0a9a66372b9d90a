import { describe, expect, test } from "vitest";
import { spacesText, whyIncompatible } from "./draft";
import { choices } from "./fixtures";

const [ppo, dqn, sac] = choices.algorithms;
const [cartpole, pendulum] = choices.environments;

describe("what fits", () => {
  test("is described by the required actions", () => {
    expect(whyIncompatible(ppo!, pendulum!)).toBeNull();
    expect(whyIncompatible(dqn!, pendulum!)).toBe("Needs discrete actions");
  });

  test("is described by the required bounds if the kinds of spaces fit", () => {
    const still = { ...pendulum!, algorithms: ["ppo"] };
    expect(whyIncompatible(sac!, still)).toBe(
      "Needs actions with a lower and a different upper bound",
    );
  });

  test("spaces are described in natural language", () => {
    expect(spacesText(cartpole!)).toBe("4 numbers → 2 actions");
    expect(spacesText(pendulum!)).toBe("4 numbers → 1 continuous action");
  });
});
