import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { ChartGroup } from "../live/chart-group";
import { HeldSource } from "../live/held-source";
import { DEFAULT_CHART_SETTINGS } from "../settings/chart-settings";
import { ChartCard } from "./chart-card";

vi.mock("next/navigation", () => ({ useSearchParams: () => new URLSearchParams() }));

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

test("a chart says that there is nothing only once that is known", () => {
  const source = new HeldSource();
  expect(drawn(source)).not.toContain(`>${NOTHING}<`);
  source.loadCurve("step", [], { iqm: [] });
  expect(drawn(source)).toContain(`>${NOTHING}<`);
});
