import { PRUNERS, SAMPLERS } from "@/api/sweep-text";
import type { Experiment, Limits } from "@/api/types";
import { explorationText } from "@/forms/exploration";
import { rewardText } from "@/forms/reward-plan";
import { duration } from "@/lib/format-time";
import { bytes, count, plural, presetName, setting } from "@/lib/number";
import { FAIL_MODES } from "./advanced-draft";

type Specification = Experiment["specification"];
type Usual = Pick<Limits, "experiment_retries">;

/** A specification as shown on a page. */
export interface Described {
  /** Facts about all of it: names and values. */
  facts: [name: string, value: string][];
  /** The settings of each variant, or the search space. */
  table: { columns: string[]; rows: string[][] };
}

/** `usual`: the default of a setting that the specification leaves out; undefined while unknown. */
export function described(
  experiment: Experiment,
  algorithmName: (id: string) => string,
  usual?: Usual,
): Described {
  const { specification } = experiment;
  const searches = specification.sweep
    ? searchedTable(specification.sweep)
    : variantTable(experiment, algorithmName);
  return { facts: factsOf(experiment, algorithmName, usual), table: searches };
}

type Settings = Record<string, unknown>;

/** Number of steps of a trial of `variant`; for a search without proposals, that of its base. */
function stepsText(
  variant: Experiment["variants"][number] | undefined,
  { base }: Specification,
): string {
  const steps = variant?.total_timesteps ?? base?.total_timesteps;
  return steps == null ? "the preset’s" : count(steps);
}

/** Each variant with its own settings; settings that all variants share are among the facts. */
function variantTable(
  { specification, variants }: Experiment,
  algorithmName: (id: string) => string,
): Described["table"] {
  const of = variants.map((variant, place): Settings => {
    const { changes } = specification.variants?.[place] ?? {};
    return {
      algorithm: algorithmName(variant.algo),
      preset: presetName(variant.preset),
      environment: variant.env_id,
      steps: stepsText(variant, specification),
      ...specification.base?.env_options,
      ...changes?.env_options,
      ...variant.hyperparameters,
      ...trainingText(specification, changes, variant.preset !== null),
    };
  });
  const names = [...new Set(of.flatMap(Object.keys))];
  const varied = names.filter((name) => !isCommon(name, of));
  const columns = names.filter((name) => IDENTITY.includes(name) || varied.includes(name));
  return {
    columns: ["variant", ...columns],
    rows: variants.map(({ label }, place) => [
      label,
      ...columns.map((name) => (name in of[place]! ? setting(of[place]![name]) : "preset’s")),
    ]),
  };
}

type Training = Partial<Pick<NonNullable<Specification["base"]>, "exploration" | "reward">>;

/** Exploration and reward of all, or of a variant that replaces them. */
function trainingText({ base }: Specification, changes: Training = {}, hasPreset = true) {
  const plan = changes.exploration ?? base?.exploration ?? null;
  return {
    exploration: plan === null && hasPreset ? "the preset’s" : explorationText(plan),
    "reward in training": rewardText(changes.reward ?? base?.reward ?? null),
  };
}

/** The settings of training that all variants share, without those that are as without a plan. */
function sharedTraining(specification: Specification): Record<string, string | false> {
  const usual = trainingText({ ...specification, base: undefined });
  const own = specification.variants?.length ? specification.variants : [undefined];
  const texts = own.map((variant) => trainingText(specification, variant?.changes));
  const shared = (name: keyof typeof usual) =>
    texts.every((text) => text[name] === texts[0]![name]) &&
    texts[0]![name] !== usual[name] &&
    texts[0]![name];
  return { Exploration: shared("exploration"), "Reward in training": shared("reward in training") };
}

/** Shown for each variant, even if the variants do not differ in it. */
const IDENTITY = ["algorithm", "preset"];

function isCommon(name: string, of: readonly Settings[]): boolean {
  const values = of.map((settings) => JSON.stringify(settings[name]));
  return values.every((value) => value !== undefined && value === values[0]);
}

function searchedTable({ space }: NonNullable<Specification["sweep"]>): Described["table"] {
  return {
    columns: ["hyperparameter", "values", "scale", "where"],
    rows: Object.entries(space).map(([name, parameter]) => {
      const conditions = Object.entries(parameter.when ?? {}).map(
        ([other, values]) => `${other} is ${values.map(setting).join(" or ")}`,
      );
      const where = conditions.join(" and ") || "always";
      if (parameter.kind === "choice") {
        return [name, parameter.choices.map(setting).join("; "), "choice", where];
      }
      const step = parameter.step && !parameter.log ? `, by ${setting(parameter.step)}` : "";
      const range = `${setting(parameter.low)} to ${setting(parameter.high)}${step}`;
      return [name, range, parameter.log ? "logarithmic" : "linear", where];
    }),
  };
}

function factsOf(
  { specification, seeds, variants, trials }: Experiment,
  algorithmName: (id: string) => string,
  usual: Usual | undefined,
): Described["facts"] {
  const { base, sweep, grid, parallel, memory_per_worker: memory, score, limits } = specification;
  const lengths = [...new Set(variants.map((variant) => stepsText(variant, specification)))];
  const places = [...new Set(variants.map(({ env_id }) => env_id))];
  const options = Object.entries(base?.env_options ?? {}).map(named);
  const fixed = Object.entries(base?.hyperparameters ?? {}).map(named);
  const isVaried = !sweep && Object.keys(grid ?? {}).length === 0;
  return facts({
    [places.length > 1 ? "Environments" : "Environment"]:
      places.length > 1 ? places.join(", ") : base && [base.env_id, ...options].join(", "),
    "Begins from":
      base &&
      !isVaried &&
      `${algorithmName(base.algo ?? "")}, ${base.preset ? presetName(base.preset) : "its defaults"}`,
    "For all": fixed.join(", "),
    ...sharedTraining(specification),
    "Steps of each run": lengths.length < 2 && (lengths[0] ?? stepsText(undefined, specification)),
    Seeds: seedText(seeds),
    Trials: sweep && plural(trials / seeds.length, "combination"),
    Sampler: sweep && `${SAMPLERS[sweep.sampler ?? "tpe"]}, seed ${sweep.seed ?? 0}`,
    Pruner: sweep && PRUNERS[sweep.pruner ?? "none"].toLowerCase(),
    "Evaluated while it trains": evaluationText(
      base?.evaluation,
      variants.some(({ evaluation }) => evaluation?.deterministic === false),
    ),
    Score: `${plural(score?.episodes ?? 0, "fresh episode")} by ${
      score?.policy === "latest" ? "the policy at the end" : "the best policy, if one was kept"
    }${score?.deterministic === false ? ", with sampled actions" : ""}`,
    "On failure": failText(specification, usual),
    "Parallel runs": parallel == null ? "as many as the service allows" : plural(parallel, "run"),
    "Memory per worker": memory != null && `${bytes(memory)} at most`,
    "Start no trial after": limitText(limits),
    Rules: base?.rules && base.rules.length > 0 && plural(base.rules.length, "rule"),
  });
}

function facts(values: Record<string, string | false | null | undefined>): Described["facts"] {
  return Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []));
}

const named = ([name, value]: [string, unknown]) => `${name} ${setting(value)}`;

/** `0 to 4`, or a list if some between are missing. */
export function seedText(seeds: readonly number[]): string {
  const [first = 0] = seeds;
  const isRow = seeds.every((seed, place) => seed === first + place);
  return isRow && seeds.length > 2 ? `${first} to ${first + seeds.length - 1}` : seeds.join(", ");
}

function evaluationText(
  plan: NonNullable<Specification["base"]>["evaluation"] | undefined,
  samples: boolean,
): string {
  if (!plan) return "as the preset says";
  if (plan.every_steps == null) return "never";
  const sampled = (plan.deterministic ?? !samples) ? "" : " with sampled actions";
  const often = `every ${count(plan.every_steps)} steps, ${plural(plan.episodes ?? 0, "episode")}${sampled}`;
  return plan.stop_after == null
    ? often
    : `${often}; ends once ${plan.stop_after} in a row solve it`;
}

function failText(
  { fail_mode: mode = "retry", retries }: Specification,
  usual: Usual | undefined,
): string {
  const words = FAIL_MODES[mode].toLowerCase();
  const most = retries ?? usual?.experiment_retries.default;
  if (mode !== "retry" || most == null) return words;
  return `${words}, ${plural(most, "retry", "retries")} at most`;
}

function limitText(limits: Specification["limits"]): string {
  const { seconds, core_seconds: cores, steps } = limits ?? {};
  const parts = [
    seconds != null && duration(seconds * 1000),
    cores != null && plural(cores, "core-second"),
    steps != null && plural(steps, "step"),
  ];
  return parts.filter(Boolean).join(", or ");
}
