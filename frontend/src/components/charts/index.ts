/**
 * Charts of metrics over time, many series each.
 *
 *     const group = useChartGroup();                        // one a page: shared cursor and zoom
 *     const [settings, change] = useChartSettings(group);   // smoothing, axis, log, outliers, events; in the address
 *     const { pool, curves } = useRunCurves(runs, { axis: settings.axis, names });   // lib/stream: live, by run id
 *     useZoomDetail(group, pool);                           // a zoom fetches what was thinned away
 *     const spec = useMemo(() => ({                         // the same object while it says the same
 *       id: "reward", title: "Episode return", empty: "No finished episode yet", references: [],
 *       series: runs.map(({ id, name }, i) => ({
 *         id, source: curves(id).series, metric: "episode/reward", label: name, mode: "points", ...seriesStyle(i),
 *       })),
 *     }), …);
 *
 *     <ChartToolbar settings={settings} onChange={change} group={group} />
 *     <ChartCard spec={spec} settings={settings} onSettings={change} group={group} />
 *
 * `prepare/` decides everything about a picture and is pure; `plot/` draws it with uPlot. New data swaps arrays;
 * only another `spec` builds another plot.
 */
export { BandedCurves } from "./banded/banded-curves";
export { ChartCard } from "./card/chart-card";
export { ChartHelp } from "./card/chart-help";
export { ChartToolbar } from "./settings/chart-toolbar";
export {
  ChartGroup,
  useChartGroup,
  useMoment,
  useMomentAddress,
  usePicking,
  useStepScale,
  useZoomDetail,
} from "./live/chart-group";
export { episodeScale, type StepScale, stepScale, timeScale } from "./prepare/step-scale";
export { HeldSource } from "./live/held-source";
export { useSeedCurves } from "./live/use-seed-curves";
export { CHART_INSET, type ChartAxis } from "./card/chart-axis";
export type { ChartMark, MarkKind } from "./prepare/marks";
export type { ChartSource, ChartSpec, SeriesSpec } from "./prepare/model";
export { lengthChart, returnLevels, rewardChart } from "./prepare/learning-curves";
export type { ChartSettings } from "./settings/chart-settings";
export { useChartSettings } from "./settings/use-chart-settings";
