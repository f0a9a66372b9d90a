import type { CreateExperiment, Experiment, SearchedTrial } from "@/api/types";
import { presetName } from "@/lib/number";

/**
 * The experiment that trains a trial again, beside what its search began from, with `count` seeds that the search has not seen:
 * the best of many trials is partly the luckiest. Steps, evaluations and scores are those of the search.
 */
export function retraining(
  { specification, seeds }: Pick<Experiment, "specification" | "seeds">,
  { number, values }: Pick<SearchedTrial, "number" | "values">,
  count: number,
  algorithmName: (id: string) => string,
): CreateExperiment {
  const { base, score } = specification;
  const first = Math.max(...seeds, -1) + 1;
  const begun = `${algorithmName(base?.algo ?? "")} ${presetName(base?.preset ?? null)}`;
  return {
    base,
    score,
    variants: [
      { name: `Trial ${number}`, changes: { hyperparameters: values } },
      { name: begun.trim(), changes: {} },
    ],
    seeds: Array.from({ length: count }, (_, place) => first + place),
  } as CreateExperiment;
}
