import { describe, expect, test } from "vitest";
import { recordOf } from "../session/testing";
import { prepareReading } from "./prepare-reading";
import { chosenAction, type DrawnSpace } from "./space";
import { bits, levers, push, reading, torque } from "./testing";

const both: DrawnSpace = { kind: "Box", shape: [2], low: [-2, -2], high: [2, 2] };

describe("a reading", () => {
  test("of probabilities is a bar per action with the taken one marked", () => {
    const [picture] = prepareReading(reading({ probabilities: [0.25, 0.75] }), push, [1]);
    expect(picture).toMatchObject({
      kind: "bars",
      bars: [
        { label: "push left", text: "25%", share: 0.25, chosen: false },
        { label: "push right", text: "75%", share: 0.75, chosen: true },
      ],
    });
  });

  test("of several choices is a picture per choice with all its values", () => {
    const several = reading({ probabilities: [0.2, 0.7, 0.1, 0.6, 0.4] });
    expect(prepareReading(several, levers, [2, 0])).toMatchObject([
      {
        title: "Action probabilities: hoist",
        bars: [
          { label: "0", text: "20%", chosen: false },
          { label: "1", text: "70%", chosen: false },
          { label: "2", text: "10%", chosen: true },
        ],
      },
      {
        title: "Action probabilities: brake",
        bars: [
          { label: "0", chosen: true },
          { label: "1", chosen: false },
        ],
      },
    ]);
    const unnamed = { ...levers, labels: [], starts: [1, 5] };
    expect(prepareReading(several, unnamed, null)[1]).toMatchObject({
      title: "Action probabilities: component 1",
      bars: [{ label: "5" }, { label: "6" }],
    });
  });

  test("of choices without known counts shows all values in a row", () =>
    expect(
      prepareReading(reading({ probabilities: [0.2, 0.8, 1] }), { kind: "MultiDiscrete" }, [1, 0]),
    ).toMatchObject([
      { title: "Probabilities of all choices", bars: [{ label: "0" }, { label: "1" }, {}] },
    ]));

  test("of bits is the probability of each, with set bits marked", () =>
    expect(prepareReading(reading({ probabilities: [0.3, 0.9] }), bits, [0, 1])).toMatchObject([
      { title: "Probability that a bit is 1", bars: [{ chosen: false }, { chosen: true }] },
    ]));

  test.each([
    [0, "0%"],
    [0.0004, "0.1%"],
    [0.9996, "99.9%"],
    [1, "100%"],
  ])("a probability of %d is never rounded to certainty", (value, text) =>
    expect(prepareReading(reading({ probabilities: [value] }), push, null)).toMatchObject([
      { bars: [{ text }] },
    ]),
  );

  test("of Q-values shows small differences of large values", () => {
    const [picture] = prepareReading(reading({ q_values: [100, 101] }), push, [1]);
    const shares = picture?.kind === "bars" ? picture.bars.map(({ share }) => share) : [];
    expect(shares[1]).toBe(1);
    expect(shares[0]).toBeLessThan(0.2);
    expect(shares[0]).toBeGreaterThan(0);
  });

  test("of a continuous action is within its bounds", () => {
    const [picture] = prepareReading(reading({ mean: [1], deviation: [2] }), torque, null);
    expect(picture).toMatchObject({
      spreads: [{ mean: 0.75, from: 0.25, to: 1, text: "1.00 ± 2.00", low: "-2.00" }],
    });
  });

  test("before the tanh is drawn after it, scaled to the bounds", () => {
    const squashed = reading({ mean: [0.6], deviation: [50], squashed: true });
    const [picture] = prepareReading(squashed, torque, null);
    expect(picture).toMatchObject({ spreads: [{ text: "1.07 (-2.00 … 2.00)", from: 0, to: 1 }] });
    expect(picture?.note).toBe(
      "Bars span -2.00 … 2.00. After the tanh that bounds the action; in brackets one deviation to either side",
    );
    const mean = picture?.kind === "spreads" ? picture.spreads[0]!.mean : 0;
    expect(mean).toBeCloseTo((Math.tanh(0.6) + 1) / 2);
  });

  test.each<[string, Partial<DrawnSpace>, string | null]>([
    ["the same of all components", {}, "Bars span -2.00 … 2.00"],
    ["of each component", { low: [-2, 0], high: [2, 1] }, "Bars span the bounds of each"],
    ["not told", { low: null, high: null }, null],
  ])("says which bounds its bars have: %s", (_, bounds, note) =>
    expect(prepareReading(reading({ mean: [1, 1] }), { ...both, ...bounds }, null)).toMatchObject([
      { note },
    ]),
  );

  test("of a policy without a deviation is only a mark", () =>
    expect(prepareReading(reading({ mean: [0] }), torque, null)).toMatchObject([
      { title: "Action", spreads: [{ from: null, to: null, mean: 0.5 }] },
    ]));

  test("of quantiles is a strip per action instead of its Q-value", () => {
    const quantiles = [
      [0, 1, 2],
      [2, 3, 4],
    ];
    const pictures = prepareReading(reading({ quantiles, q_values: [1, 3] }), push, [1]);
    expect(pictures).toHaveLength(1);
    expect(pictures[0]).toMatchObject({
      kind: "strips",
      strips: [
        { ticks: [0, 0.25, 0.5], mean: 0.25, text: "1.00", chosen: false },
        { ticks: [0.5, 0.75, 1], mean: 0.75, chosen: true },
      ],
    });
  });

  test("without content draws nothing", () =>
    expect(prepareReading(reading({}), push, null)).toEqual([]));
});

describe("a reading of very many", () => {
  const many: DrawnSpace = { kind: "Discrete", n: 20_000 };
  const rising = Array.from({ length: 20_000 }, (_, place) => place / 199_990_000);

  test("probabilities shows the ten greatest, the taken one and the sum of the others", () => {
    const [picture] = prepareReading(reading({ probabilities: rising }), many, [7]);
    const bars = picture?.kind === "bars" ? picture.bars : [];
    expect(bars.map(({ label }) => label)).toEqual([
      ...["19999", "19998", "19997", "19996", "19995", "19994", "19993", "19992", "19991", "19990"],
      "7",
    ]);
    expect(bars.at(-1)).toMatchObject({ chosen: true });
    expect(picture?.note).toBe("The most probable of 20,000. The other 19,989 have 99.9% together");
  });

  test("Q-values and quantiles shows the ten highest", () => {
    const values = reading({ q_values: rising, quantiles: null });
    const strips = reading({ quantiles: rising.map((value) => [value, value + 1]) });
    expect(prepareReading(values, many, [19_999])).toMatchObject([
      {
        bars: { length: 10 },
        note: expect.stringMatching(/^The highest of 20,000/) as string,
      },
    ]);
    expect(prepareReading(strips, many, null)).toMatchObject([{ strips: { length: 10 } }]);
    expect(chosenAction(recordOf(3, { reading: values }), null, true, many)).toEqual([19_999]);
  });

  test("shows the indices of actions if only some are sent", () => {
    const best = reading({ probabilities: [0.5, 0.25, 0.125], places: [700, 3, 19_999] });
    const [picture] = prepareReading(best, { ...many, starts: [1] }, [3]);
    expect(picture).toMatchObject({
      note: "The most probable of 20,000. The other 19,997 have 13% together",
      bars: [{ label: "701" }, { label: "4", chosen: true }, { label: "20000", chosen: false }],
    });
    expect(chosenAction(recordOf(3, { reading: best }), null, true, many)).toEqual([700]);
    const values = reading({ q_values: [3, 2], places: [9, 8] });
    expect(prepareReading(values, many, [5])).toMatchObject([{ bars: [{ label: "9" }, {}] }]);
  });

  test("bits, components and choices shows some and counts the rest", () => {
    const share = Array.from({ length: 300 }, (_, bit) => bit / 300);
    const switches: DrawnSpace = {
      ...{ kind: "MultiDiscrete", shape: [30], counts: Array<number>(30).fill(2) },
    };
    const [ofBits] = prepareReading(reading({ probabilities: share }), bits, null);
    const [ofNumbers] = prepareReading(reading({ mean: share }), both, null);
    const ofChoices = prepareReading(
      reading({ probabilities: Array<number>(60).fill(0.5) }),
      switches,
      null,
    );
    expect(ofBits).toMatchObject({ bars: { length: 10 } });
    expect(ofBits?.note).toBe("The most probable of 300 bits; 149 are more probably 1 than 0");
    expect(ofNumbers).toMatchObject({
      spreads: { length: 10 },
      note: expect.stringMatching(/290 more not drawn$/) as string,
    });
    expect(ofChoices).toHaveLength(10);
    expect(ofChoices.at(-1)?.note).toBe("20 more choices not drawn");
  });
});
