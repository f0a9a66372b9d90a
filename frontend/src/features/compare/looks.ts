import { seriesLook, type SeriesLook } from "@/components/ui/series";

/** A run's colour and dash go with its place in the address, so that a link looks the same to everyone. */
export type Looks = ReadonlyMap<string, SeriesLook>;

export function looksOf(runIds: readonly string[]): Looks {
  return new Map(runIds.map((id, i) => [id, seriesLook(i)]));
}
