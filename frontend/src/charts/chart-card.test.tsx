import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { ChartCard } from "./chart-card";
import { ChartGroup } from "./chart-group";
import { DEFAULT_CHART_SETTINGS } from "./chart-settings";
import { HeldSource } from "./held-source";

const NOTHING = "No finished episode yet";

const drawn = (source: HeldSource) =>
  renderToString(
    <ChartCard
      spec={{
        ...{ id: "return", title: "Return", empty: NOTHING, references: [] },
        series: [{ id: "a", label: "A", metric: "iqm", mode: "line", color: "series-1", source }],
      }}
      settings={DEFAULT_CHART_SETTINGS}
      group={new ChartGroup()}
      onSettings={() => {}}
    />,
  );

test("a chart says that it is empty only when that is known", () => {
  const source = new HeldSource();
  expect(drawn(source)).not.toContain(`>${NOTHING}<`);
  source.loadCurve("step", [], { iqm: [] });
  expect(drawn(source)).toContain(`>${NOTHING}<`);
});
