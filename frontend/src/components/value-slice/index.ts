/**
 * What a policy expects over two components of its observation, with the path of an episode on it.
 *
 *     <ValueSliceFigure runId={run.id} step={20_000} space={info.observation} record={record} records={records} />
 */
export { canBeSliced } from "./prepare";
export { LiveSliceFigure } from "./live-slice";
export { ValueSliceFigure } from "./value-slice-figure";
