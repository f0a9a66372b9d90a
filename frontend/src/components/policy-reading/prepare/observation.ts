import type { StepRecord } from "@/api/types";
import { count, decimal, NONE } from "@/lib/number";
import { decodedState, type DrawnSpace, isPicture, nameOf, placeOf } from "./space";

export interface ObservedValue {
  label: string;
  text: string;
  unit: string | null;
}

export type ObservationPicture =
  { kind: "values"; values: readonly ObservedValue[] } | { kind: "said"; text: string };

/** With more components than this, the rest are counted and not listed. */
const MOST = 64;

/** The observation as components with names and units; a picture is described in words. */
export function prepareObservation(record: StepRecord, space: DrawnSpace): ObservationPicture {
  const { observation } = record;
  if (isPicture(space)) {
    return { kind: "said", text: `A picture of ${space.shape!.join(" × ")} numbers` };
  }
  if (observation === null || observation === undefined) {
    return { kind: "said", text: "This observation was not recorded" };
  }
  if (space.kind === "Discrete" && typeof observation === "number") {
    const name = space.labels?.[placeOf(space, observation)];
    const { factors = [] } = space;
    if (factors.length > 0) {
      const decoded = decodedState(factors, observation);
      return {
        kind: "values",
        values: [
          ...decoded.map(({ name: label, value }) => ({ label, text: value, unit: null })),
          { label: "state", text: count(observation), unit: null },
        ],
      };
    }
    return {
      kind: "said",
      text: `State ${count(observation)}${space.n ? ` of ${count(space.n)}` : ""}${name ? `: ${name}` : ""}`,
    };
  }
  const all = parts(observation, "");
  const values = all.slice(0, MOST).map(({ path, value }, place) => ({
    label: space.labels?.[place] ? nameOf(space, place) : path || String(place),
    text: typeof value === "number" ? decimal(value) : value === null ? NONE : String(value),
    unit: space.units?.[place] || null,
  }));
  if (all.length > MOST) {
    values.push({ label: "and", text: `${count(all.length - MOST)} more`, unit: null });
  }
  return { kind: "values", values };
}

type Json = StepRecord["observation"];

/** The leaves of a composed observation, with the path to each. */
function parts(value: Json, path: string): { path: string; value: Json }[] {
  const under = (key: string) => (path ? `${path} · ${key}` : key);
  if (Array.isArray(value))
    return value.flatMap((part, i) => parts(part as Json, under(String(i))));
  if (value !== null && typeof value === "object") {
    return Object.entries(value).flatMap(([key, part]) => parts(part as Json, under(key)));
  }
  return [{ path, value }];
}
