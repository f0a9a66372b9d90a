import { expect, test } from "vitest";
import { DEFAULT_CHART_SETTINGS, readChartSettings, writeChartSettings } from "./chart-settings";

test.each(["", "smooth=0.6", "x=time&log=1", "smooth=0&x=episode&outliers=1"])(
  "the address %j survives reading and writing",
  (search) => {
    const query = new URLSearchParams();
    writeChartSettings(query, readChartSettings(new URLSearchParams(search)));
    expect(query.toString()).toBe(search);
  },
);

test("settings that make no sense are the default", () => {
  expect(readChartSettings(new URLSearchParams("smooth=x&x=miles&log=yes"))).toEqual(
    DEFAULT_CHART_SETTINGS,
  );
  expect(readChartSettings(new URLSearchParams("smooth=7")).smoothing).toBe(0.99);
});
