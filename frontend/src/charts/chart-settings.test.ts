import { expect, test } from "vitest";
import {
  DEFAULT_CHART_SETTINGS,
  readChartSettings,
  toggledLog,
  writeChartSettings,
} from "./chart-settings";

test.each([
  "",
  "smooth=0.6",
  "x=time&log=a%2Fb%2Cc",
  "smooth=0&x=episode&outliers=1&events=0&past=0",
])("the address %j round-trips", (search) => {
  const query = new URLSearchParams();
  writeChartSettings(query, readChartSettings(new URLSearchParams(search)));
  expect(query.toString()).toBe(search);
});

test("invalid settings are replaced by the default", () => {
  expect(readChartSettings(new URLSearchParams("smooth=x&x=miles&log=,&events=yes"))).toEqual(
    DEFAULT_CHART_SETTINGS,
  );
  expect(readChartSettings(new URLSearchParams("smooth=7")).smoothing).toBe(0.99);
});

test("each chart has its own logarithmic axis", () => {
  const on = { ...DEFAULT_CHART_SETTINGS, log: toggledLog(DEFAULT_CHART_SETTINGS, "a") };
  expect(toggledLog(on, "b")).toEqual(["a", "b"]);
  expect(toggledLog(on, "a")).toEqual([]);
});
