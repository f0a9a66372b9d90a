/**
 * Charts of metrics over time, many series each.
 *
 *     const group = useChartGroup();                        // one a page: shared cursor and zoom
 *     const [view, change] = useChartView(group);           // smoothing, axis, log, outliers; in the address
 *     const { pool, curves } = useRunCurves(runs, { axis: view.axis, names });   // lib/stream: live, by run id
 *     useZoomDetail(group, pool);                           // a zoom fetches what was thinned away
 *     const spec = useMemo(() => ({                         // the same object while it says the same
 *       id: "reward", title: "Episode return", empty: "No finished episode yet", references: [],
 *       series: runs.map(({ id, name }, i) => ({
 *         id, source: curves(id).series, metric: "episode/reward", label: name, look: "points", ...seriesLook(i),
 *       })),
 *     }), …);
 *
 *     <ChartToolbar view={view} onChange={change} group={group} />
 *     <ChartCard spec={spec} view={view} group={group} />
 *
 * `prepare/` decides everything about a picture and is pure; `plot/` draws it with uPlot. New data swaps arrays;
 * only another `spec` builds another plot.
 */
export { ChartCard } from "./card/chart-card";
export { ChartHelp } from "./card/chart-help";
export { ChartToolbar } from "./settings/chart-toolbar";
export {
  ChartGroup,
  useChartGroup,
  useCursor,
  useZoomDetail,
  useZoomWindow,
} from "./live/chart-group";
export type { ChartSource, ChartSpec, Reference, SeriesSpec } from "./prepare/model";
export { lengthChart, rewardChart } from "./prepare/learning-curves";
export { type ChartSettings, DEFAULT_CHART_SETTINGS } from "./settings/chart-settings";
export { SeriesSwatch } from "./card/series-swatch";
export { useChartSettings } from "./settings/use-chart-settings";
