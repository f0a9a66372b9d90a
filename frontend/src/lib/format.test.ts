import { describe, expect, test } from "vitest";
import { aboutDuration, age, duration, elapsed, remaining } from "./format-time";
import {
  brief,
  bytes,
  compact,
  count,
  decimal,
  interval,
  percent,
  plural,
  presetName,
  setting,
  settingText,
  shareText,
} from "./number";

describe("numbers", () => {
  test.each([
    [10_000, "10k"],
    [12_500, "12.5k"],
    [1_250_000, "1.25M"],
    [0, "0"],
    [-2000, "-2k"],
    [0.25, "0.25"],
    [null, "–"],
  ])("compact %j is %s", (value, text) => expect(compact(value)).toBe(text));

  test.each([
    [475, "475.0"],
    [9.5, "9.50"],
    [0.02134, "0.0213"],
    [0.00002, "2.00e-5"],
    [0, "0"],
    [12_345.6, "12,346"],
    [null, "–"],
    [undefined, "–"],
    [NaN, "–"],
  ])("decimal %j is %s", (value, text) => expect(decimal(value)).toBe(text));

  test.each([
    [0.0003, "0.0003"],
    [[64, 64], "64, 64"],
    [[], "none"],
    [null, "none"],
    [true, "true"],
    ["linear", "linear"],
  ])("setting %j is %s", (value, text) => expect(setting(value)).toBe(text));

  test.each([
    [0.00000247429447426956, "2.47429e-6"],
    [0.1 + 0.2, "0.3"],
    [0.0003, "0.0003"],
    [123_456_789, "123456789"],
    [[0.123456789, 64], "0.123457, 64"],
    ["linear", "linear"],
  ])("setting %j is read as %s", (value, text) => expect(settingText(value)).toBe(text));

  test("an interval has two ends and a single value has none", () => {
    expect(interval(92, 1234.5)).toBe("[92.0, 1,235]");
    expect(interval(0.25, 1, { format: (value) => value.toFixed(2) })).toBe("[0.25, 1.00]");
    expect(interval(null, null)).toBe("one seed: no interval");
    expect(interval(92, null, { one: "run" })).toBe("one run: no interval");
  });

  test("the rest", () => {
    expect(count(20480)).toBe("20,480");
    expect(brief(73_870)).toBe("73.9k");
    expect(percent(0.999)).toBe("99%");
    expect(percent(0.29)).toBe("29%");
    expect([0.004, 0.725, 0.999].map(shareText)).toEqual(["0%", "73%", "100%"]);
    expect(bytes(42e9)).toBe("42 GB");
    expect(bytes(100)).toBe("100 B");
    expect(plural(1, "warning")).toBe("1 warning");
    expect(plural(2, "match", "matches")).toBe("2 matches");
  });
});

describe("times", () => {
  const noon = "2026-11-21T12:00:00Z";
  const at = (seconds: number) => Date.parse(noon) + seconds * 1000;

  test.each([
    [-5000, "0s"],
    [59_999, "59s"],
    [83_000, "1m 23s"],
    [3_660_000, "1h 01m"],
    [90_000_000, "1d 01h"],
  ])("duration %j is %s", (ms, text) => expect(duration(ms)).toBe(text));

  test.each([
    [400, "less than 1s"],
    [14_200, "about 14s"],
    [59_700, "about 1m 00s"],
    [492_000, "about 8m 10s"],
    [595_001, "about 10m"],
    [754_000, "about 13m"],
    [3_239_000, "about 54m"],
    [3_590_000, "about 1h 00m"],
    [7_490_000, "about 2h 05m"],
  ])("aboutDuration %j is %s", (ms, text) => expect(aboutDuration(ms)).toBe(text));

  test.each([
    [3, "just now"],
    [-3, "just now"],
    [300, "5m ago"],
    [7200, "2h ago"],
    [172_800, "2d ago"],
  ])("after %j s it is %s", (seconds, text) => expect(age(noon, at(seconds))).toBe(text));

  test("elapsed time stands still once a run has ended", () => {
    const ended_at = "2026-11-21T12:00:10Z";
    expect(elapsed({ started_at: noon, ended_at: null }, at(5))).toBe(5000);
    expect(elapsed({ started_at: noon, ended_at }, at(500))).toBe(10_000);
    expect(elapsed({ started_at: null, ended_at: null }, at(5))).toBeNull();
  });

  test("the remaining time is unknown without a rate and never negative", () => {
    expect(remaining({ step: 500, end_step: 1500, fps: 100 })).toBe(10_000);
    expect(remaining({ step: 1600, end_step: 1500, fps: 100 })).toBe(0);
    expect(remaining({ step: 0, end_step: 1500, fps: null })).toBeNull();
    expect(remaining({ step: 0, end_step: 1500, fps: 0 })).toBeNull();
  });
});

test.each<[string | null, string]>([
  ["high-score", "High Score"],
  ["fast", "Fast"],
  [null, "Defaults"],
])("the preset %s is called %s", (preset, name) => expect(presetName(preset)).toBe(name));
