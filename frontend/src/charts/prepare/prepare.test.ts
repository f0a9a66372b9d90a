import { describe, expect, test } from "vitest";
import { RunSeries } from "@/stream/series/run-series";
import { align } from "./curve";
import { rewardChart } from "./learning-curves";
import type { ChartSpec, PrepareOptions, SeriesSpec } from "./model";
import { prepare } from "./prepare";

const REWARD = "episode/reward";

type Rows = [step: number, values: Record<string, number | null>][];

function held(rows: Rows, smoothing = 0) {
  const series = new RunSeries();
  series.setSmoothing(smoothing);
  series.append(rows.map(([step, values], i) => ({ seq: i, time: i, step, values })));
  return series;
}

const options = (change: Partial<PrepareOptions> = {}): PrepareOptions => ({
  ...{ smoothing: 0, log: false, outliers: false },
  ...{ window: null, width: 800, height: 200, hidden: new Set<string>() },
  ...change,
});

function chart(rows: Rows, change: Partial<SeriesSpec> = {}, references: number[] = []): ChartSpec {
  const series: SeriesSpec = {
    ...{ id: "a", source: held(rows), metric: REWARD, label: "Episode" },
    ...{ mode: "points", color: "series-1" },
    ...change,
  };
  const levels = references.map((value) => ({ label: "Solved at", value }));
  return { id: "c", title: "C", series: [series], references: levels, empty: "nothing" };
}

const rewards = (values: (number | null)[]): Rows =>
  values.map((value, i) => [i + 1, { [REWARD]: value }]);

describe("aligning", () => {
  test("a step of only one series is neither a point nor a gap in the other", () => {
    const data = align([
      { x: [1, 2, 4], ys: [[10, null, 40]] },
      {
        x: [2, 3],
        ys: [
          [200, 300],
          [2, 3],
        ],
      },
    ]);
    expect(data).toEqual([
      [1, 2, 3, 4],
      [10, null, undefined, 40],
      [undefined, 200, 300, undefined],
      [undefined, 2, 3, undefined],
    ]);
  });

  test("all episodes that ended at one step stay", () => {
    expect(align([{ x: [5, 5, 5], ys: [[1, 2, 3]] }])).toEqual([
      [5, 5, 5],
      [1, 2, 3],
    ]);
  });
});

describe("the reward chart", () => {
  test("says that it is empty", () => {
    const model = prepare(
      rewardChart(
        held([]),
        { threshold: 475, random: null },
        { title: "Episode return", evaluated: null },
      ),
      options(),
    );
    expect(model.points).toBe(0);
    expect(model.summary).toBe("Episode return: No finished episode yet");
  });

  test("describes its newest values in a sentence", () => {
    const source = held([
      [10, { [REWARD]: 12 }],
      [12_000, { [REWARD]: 31 }],
    ]);
    expect(
      prepare(
        rewardChart(
          source,
          { threshold: 475, random: null },
          { title: "Episode return", evaluated: null, meanEpisodes: 100 },
        ),
        options(),
      ).summary,
    ).toBe(
      "Episode return at step 12k: Episode 31.0, Mean of 100 21.5, Reward threshold 475.0. 4 points.",
    );
  });

  test("has no reference without a threshold of the environment", () => {
    expect(
      rewardChart(held([]), { threshold: null, random: null }, { title: "", evaluated: null })
        .references,
    ).toEqual([]);
    expect(
      rewardChart(held([]), { threshold: 0, random: null }, { title: "", evaluated: null })
        .references,
    ).toHaveLength(1);
  });

  test("names the return of random actions and is not compressed by it", () => {
    const source = held([
      [10, { [REWARD]: 400 }],
      [20, { [REWARD]: 420 }],
    ]);
    const words = { title: "", evaluated: null };
    const chart = (random: number | null) =>
      prepare(rewardChart(source, { threshold: null, random }, words), options());
    expect(chart(-5_000).y).toEqual(chart(null).y);
    expect(chart(405).references).toEqual([{ at: 405, isBaseline: true }]);
    expect(rewardChart(held([]), { threshold: 475, random: 0 }, words).references).toHaveLength(2);
  });

  test("shows evaluations with their spread at the steps where they were logged", () => {
    const source = held([
      [10, { "eval/mean_reward": 100, "eval/std_reward": 20 }],
      [20, { "eval/mean_reward": 200 }],
    ]);
    const model = prepare(
      rewardChart(source, { threshold: null, random: null }, { title: "", evaluated: "sampled" }),
      options(),
    );
    expect(model.summary).toContain("Evaluation, sampled actions 200.0");
    expect(model.curves[2]!.spread).toEqual([20, null]);
    expect(model.data.slice(-2)).toEqual([
      [120, null],
      [80, null],
    ]);
    expect(model.y[1]).toBeGreaterThan(200);
  });
});

describe("a curve", () => {
  test("draws a missing value as a gap", () => {
    expect(prepare(chart(rewards([5, null, 7])), options()).data[1]).toEqual([5, null, 7]);
  });

  test("is drawn smoothed next to the raw points", () => {
    const source = held(rewards([0, 100]), 0.9);
    const { data } = prepare(chart([], { source }), options({ smoothing: 0.9 }));
    expect(data[1]).toEqual([0, 100]);
    expect(data[2]![1]).toBeGreaterThan(50);
    expect(data[2]![1]).toBeLessThan(100);
  });

  test("of means or evaluations is not smoothed", () => {
    for (const change of [{ smooth: false }, { mode: "markers" as const }]) {
      const source = held(rewards([0, 100]), 0.9);
      const model = prepare(chart([], { ...change, source }), options({ smoothing: 0.9 }));
      expect(model.data[2]).toEqual([0, 100]);
      expect(model.notes).toEqual([]);
    }
  });

  test("can be flipped", () => {
    const model = prepare(chart(rewards([-0.7]), { negate: true }), options());
    expect(model.data[1]).toEqual([0.7]);
  });

  test("is thinned for the screen, counts its points and keeps every extreme", () => {
    const rows = rewards(Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 9999 : i % 7)));
    const model = prepare(chart(rows), options({ width: 200 }));
    expect(model.points).toBe(10_000);
    expect(model.data[0].length).toBeLessThanOrEqual(601);
    expect(model.data[1]).toContain(9999);
  });

  test("that is hidden affects neither picture nor range", () => {
    const model = prepare(chart(rewards([900])), options({ hidden: new Set(["a"]) }));
    expect(model.data).toEqual([[], [], []]);
    expect(model.y).toEqual([0, 1]);
  });
});

describe("a window", () => {
  test("shows its points and one beyond each end, and is scaled to its own points", () => {
    const model = prepare(
      chart(rewards([1, 2, 3, 4, 500]), {}, [475]),
      options({ window: [2.5, 3.5] }),
    );
    expect(model.data[0]).toEqual([2, 3, 4]);
    expect(model.x).toEqual([2.5, 3.5]);
    expect(model.y[1]).toBeLessThan(5);
  });

  test("shows raw points if the service sent them", () => {
    const source = new RunSeries();
    source.load({
      series: { [REWARD]: { x: [0, 100], y: [0, 9], count: 101 } },
      mean_episodes: 100,
    });
    const spec = { ...chart([]), series: [{ ...chart([]).series[0]!, source }] };
    const window = [10, 20] as const;
    expect(source.lacksDetail(window)).toBe(true);
    expect(prepare(spec, options({ window })).notes).toContain(
      "2 of 101 points, every extreme kept",
    );
    source.loadDetail([5, 25], { series: { [REWARD]: { x: [9, 15], y: [1, 2], count: 2 } } });
    const model = prepare(spec, options({ window }));
    expect(model.data[0]).toEqual([9, 15]);
    expect(model.notes).toEqual([]);
    expect(source.lacksDetail(window)).toBe(false);
  });
});

describe("a logarithmic scale", () => {
  test("draws decades if all values are above zero", () => {
    const model = prepare(chart(rewards([0.1, 1000])), options({ log: true }));
    expect(model.scale).toBe("log");
    expect(model.data[1]).toEqual([-1, 3]);
    expect(model.y[0]).toBeLessThan(-1);
    expect(model.y[1]).toBeGreaterThan(3);
    expect(model.yTicks!.map(({ label }) => label)).toContain("100");
  });

  test("is symmetric if some values are not, and leaves none out", () => {
    const model = prepare(chart(rewards([1, 0, -99, 999]), {}, [-9]), options({ log: true }));
    expect(model.scale).toBe("symlog");
    expect(model.data[1]!.map((at) => Number(at!.toFixed(6)))).toEqual([0.30103, 0, -2, 3]);
    expect(model.references).toEqual([{ at: -1, isBaseline: false }]);
    const labels = model.yTicks!.map(({ label }) => label);
    expect(labels).toEqual(["-100", "-10", "-1", "0", "1", "10", "100", "1k"]);
    expect(model.notes).toEqual([]);
  });

  test("of only zeros is empty", () => {
    expect(prepare(chart(rewards([0, 0])), options({ log: true })).y).toEqual([0, 1]);
  });
});

test("an axis ends at the bounds of its values", () => {
  const bounded = { ...chart(rewards([0.2, 0.99])), bounds: { minimum: 0, maximum: 1 } };
  expect(prepare(bounded, options()).y).toEqual([0, 1]);
  const broken = { ...chart(rewards([0.2, 1.5])), bounds: { minimum: 0, maximum: 1 } };
  expect(prepare(broken, options()).y[1]).toBeGreaterThan(1.5);
});

test("the newest point is drawn whatever the number of points", () => {
  const rows = rewards(Array.from({ length: 10_000 }, (_, i) => (i === 9_999 ? 3 : i % 7)));
  const [curve] = prepare(chart(rows), options({ width: 200 })).curves;
  expect([curve!.x.at(-1), curve!.raw.at(-1)]).toEqual([10_000, 3]);
});

test("a range without outliers says how many points are outside", () => {
  const values = Array.from({ length: 200 }, (_, i) => (i === 7 ? 1e6 : 10));
  const all = prepare(chart(rewards(values)), options());
  const most = prepare(chart(rewards(values)), options({ outliers: true }));
  expect(all.y[1]).toBeGreaterThan(1e6);
  expect(most.y[1]).toBeLessThan(20);
  expect(most.notes).toContain("1 point outside the range");
});

test("only the changed one of ten runs is prepared again", () => {
  const sources = Array.from({ length: 10 }, () => held(rewards([1, 2, 3])));
  const spec = {
    ...chart([]),
    series: sources.map((source, i) => ({ ...chart([]).series[0]!, id: String(i), source })),
  };
  const cache = new Map();
  const before = prepare(spec, options(), cache).curves;
  sources[3]!.append([{ seq: 9, time: 9, step: 3, values: { [REWARD]: 4 } }]);
  const after = prepare(spec, options(), cache).curves;
  expect(after.flatMap((curve, i) => (curve === before[i] ? [] : [i]))).toEqual([3]);
});

test("omissions that do not depend on the data are stated below the chart", () => {
  const spec = { ...chart(rewards([1, 2])), leftOut: "bands are not drawn" };
  expect(prepare(spec, options()).notes).toEqual(["bands are not drawn"]);
});
