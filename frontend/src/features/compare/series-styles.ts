import { seriesStyle, type SeriesStyle } from "@/components/ui/series-style";

/** A run's colour and dash go with its place in the address, so that a link looks the same to everyone. */
export type SeriesStyles = ReadonlyMap<string, SeriesStyle>;

export function seriesStylesOf(runIds: readonly string[]): SeriesStyles {
  return new Map(runIds.map((id, i) => [id, seriesStyle(i)]));
}
