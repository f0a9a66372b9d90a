import type { FieldProblem } from "@/api/http";
import { MEND_FIRST } from "@/ui/field";
import { EXPLORATION_SWITCHES } from "@/forms/exploration";
import { ADVANCED_POINTERS } from "./advanced-draft";
import { type ExperimentDraft, OFF, placesOf, type VariantDraft } from "./draft";

/** Problems by JSON pointer into the specification, from the form's own checks and from the service. */
export type Problems = ReadonlyMap<string, string>;

/** Pointers of the fields of the form. */
export const POINTERS = {
  ...{ name: "/name", seeds: "/seeds", steps: "/base/total_timesteps" },
  ...{ trials: "/sweep/trials", seedsPerTrial: "/sweep/seeds_per_trial" },
  /** Places are those of the form. In the specification, each variant names its environment. */
  place: (at: number) => `/places/${at}`,
  option: (name: string, at = 0) =>
    at === 0 ? `/base/env_options/${name}` : `/places/${at}/env_options/${name}`,
  variantName: (place: number) => `/variants/${place}/name`,
  change: (place: number, name: string) => `/variants/${place}/changes/hyperparameters/${name}`,
  base: "/base",
  changes: (place: number) => `/variants/${place}/changes`,
  grid: (name: string) => `/grid/${name}`,
  space: (name: string) => `/sweep/space/${name}`,
} as const;

/** Problems of a field, or of a part of its text if that is one value of several. */
export function problemAt(problems: Problems, pointer: string): string | undefined {
  const places = [...problems.keys()];
  const found = places.find((place) => place === pointer || place.startsWith(`${pointer}/`));
  return found && problems.get(found);
}

/** Problems of the settings at `parent`, by pointer as in a request for one run. */
export function problemsBelow(problems: Problems, parent: string): Record<string, string> {
  const own = [...problems].filter(([pointer]) => pointer.startsWith(`${parent}/`));
  return Object.fromEntries(own.map(([pointer, detail]) => [pointer.slice(parent.length), detail]));
}

/** Why the typed experiment cannot be started, in a sentence; undefined: it can. */
export function reasonAgainst(draft: ExperimentDraft, own: Problems): string | undefined {
  if (draft.kind === "variants" && draft.variants.length === 0) {
    return "No algorithm can learn in all of these. Choose another environment.";
  }
  if (draft.kind === "grid" && draft.grid.length === 0)
    return "Add a hyperparameter to vary first.";
  return own.size > 0 ? MEND_FIRST : undefined;
}

/** Problems from the service, split by whether the form shows a field for them. */
export function refusalsOf(draft: ExperimentDraft, fields: readonly FieldProblem[]) {
  const shown = new Map<string, string>();
  const { length: places } = placesOf(draft);
  const others: FieldProblem[] = [];
  for (const { pointer, detail } of fields) {
    // Each variant has the length that the form gives to all, and the options of where it trains.
    const place = pointer
      .replace(/^\/(variants\/\d+\/changes|grid)\/(?=total_timesteps)/, "/base/")
      .replace(/^\/grid\/(?=env_options)/, "/base/")
      .replace(/^\/variants\/(\d+)\/changes\/env_options\/(.*)/, (_, variant, name) =>
        POINTERS.option(String(name), Number(variant) % places),
      )
      .replace(/^\/variants\/(\d+)/, (_, variant) => `/variants/${Math.floor(variant / places)}`);
    const known = pointersOf(draft).some((one) => place === one || place.startsWith(`${one}/`));
    const line = draft.variants.length > 1 && /^\/variants\/(\d+)\//.exec(place)?.[1];
    if (known) shown.set(place, detail);
    else others.push({ pointer, detail: line ? `Line ${Number(line) + 1}: ${detail}` : detail });
  }
  return { shown, others };
}

function pointersOf(draft: ExperimentDraft): string[] {
  const { kind, variants, grid, sweep } = draft;
  const of = {
    variants: variants.flatMap((variant, place) => [
      POINTERS.variantName(place),
      ...(variant.changes ?? []).map(({ name }) => POINTERS.change(place, name)),
      ...trainingPointers(variant, POINTERS.changes(place)),
    ]),
    grid: grid.map(({ name }) => POINTERS.grid(name)),
    search: [
      ...[POINTERS.trials, POINTERS.seedsPerTrial],
      ...sweep.space.map(({ name }) => POINTERS.space(name)),
    ],
  };
  return [
    ...[POINTERS.name, POINTERS.steps],
    ...(kind === "search" ? [] : [POINTERS.seeds]),
    ...Object.values(ADVANCED_POINTERS),
    ...trainingPointers(draft, POINTERS.base),
    ...placesOf(draft).flatMap(({ options }, at) =>
      Object.keys(options).map((name) => POINTERS.option(name, at)),
    ),
    ...of[kind],
  ];
}

/** The fields of exploration and reward that are shown below `parent`. */
function trainingPointers(
  {
    exploration,
    reward,
  }: {
    exploration?: VariantDraft["exploration"] | null;
    reward?: VariantDraft["reward"];
  },
  parent: string,
): string[] {
  const shown = exploration && exploration !== OFF ? exploration : null;
  return [
    ...EXPLORATION_SWITCHES.filter(({ on }) => shown?.[on]).map(
      ({ field }) => `${parent}/exploration/${field}`,
    ),
    ...(reward && reward !== OFF ? [`${parent}/reward/weights`, `${parent}/reward/caps`] : []),
  ];
}
