import { describe, expect, it } from "vitest";
import { changeAddress, questionOf, readAddress, writeAddress } from "./address";

const read = (search: string) => readAddress(new URLSearchParams(search));

describe("the address of the page", () => {
  it("is empty for default settings", () => {
    expect(writeAddress(new URLSearchParams(), read(""))).toBe("");
  });

  it.each([
    "?q=cart&status=completed&algo=ppo&algo=dqn&view=pivot&by=hp_gamma&across=seed",
    "?view=scatter&measure=fps&x=hp_learning_rate",
    "?view=sql&sql=SELECT+1",
    "?by=seed&runs=ppo-a%2Cdqn-b",
  ])("keeps a view: %s", (search) => {
    expect(writeAddress(new URLSearchParams(), read(search))).toBe(search);
  });

  it("keeps the settings of charts and drops an unknown view", () => {
    expect(writeAddress(new URLSearchParams("smooth=0.5&view=pie"), read("view=pie"))).toBe(
      "?smooth=0.5",
    );
  });

  it("changes only the given settings, also within the filter", () => {
    const query = new URLSearchParams("q=cart&algo=ppo&by=hp_gamma");
    expect(changeAddress(query, { measure: "fps", filter: { algo: ["dqn"] } })).toBe(
      "?q=cart&algo=dqn&by=hp_gamma&measure=fps",
    );
  });

  it("uses the filter of the list", () => {
    expect(questionOf(read("status=failed&measure=fps"), ["algo"])).toEqual({
      by: ["algo"],
      measure: "fps",
      runs: [],
      filter: { status: ["failed"] },
    });
  });
});
