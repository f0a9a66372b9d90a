import type { CreateRun, FieldProblem } from "@/lib/api";
import { type Choices, type Draft, type DraftChange, timestepsOf } from "./draft";
import { parseHyperparameter, type Parsed, parseInteger } from "./parse";

/** What is wrong, by JSON pointer, the same for our own checks and for the service's. */
export type Problems = Record<string, string>;

export function hyperparameterPointer(name: string): string {
  return `/hyperparameters/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export type Submission = { body: CreateRun } | { problems: Problems };

/** The request a draft stands for, or every field that keeps it from being one. */
export function submission(choices: Choices, draft: Draft): Submission {
  const problems: Problems = {};
  const take = (pointer: string, parsed: Parsed) => {
    if (parsed.ok) return parsed.value;
    problems[pointer] = parsed.problem;
  };
  const algorithm = choices.algorithms.find(({ id }) => id === draft.algo);
  const seed =
    draft.seed.trim() === ""
      ? null
      : take("/seed", parseInteger(draft.seed, algorithm?.seed ?? {}));
  const timesteps = take(
    "/total_timesteps",
    parseInteger(timestepsOf(choices, draft), algorithm?.total_timesteps ?? {}),
  );
  const hyperparameters: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(draft.overrides)) {
    const schema = algorithm?.hyperparameters.find((other) => other.name === name);
    if (schema) {
      hyperparameters[name] = take(hyperparameterPointer(name), parseHyperparameter(schema, text));
    }
  }
  if (Object.keys(problems).length > 0) return { problems };
  return {
    body: {
      algo: draft.algo,
      env_id: draft.env,
      preset: draft.preset,
      ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
      seed: seed as number | null,
      total_timesteps: timesteps as number,
      hyperparameters,
      start: true,
    } as CreateRun,
  };
}

export function problemsByPointer(fields: readonly FieldProblem[]): Problems {
  return Object.fromEntries(fields.map(({ pointer, detail }) => [pointer, detail]));
}

/** What is still wrong after a change: a field that was touched is judged anew when it is sent. */
export function problemsAfter(problems: Problems, change: DraftChange): Problems {
  const without = (touched: (pointer: string) => boolean) =>
    Object.fromEntries(Object.entries(problems).filter(([pointer]) => !touched(pointer)));
  switch (change.field) {
    case "seed":
    case "name":
      return without((pointer) => pointer === `/${change.field}`);
    case "timesteps":
      return without((pointer) => pointer === "/total_timesteps");
    case "hyperparameter":
      return without((pointer) => pointer === hyperparameterPointer(change.name));
    case "reset-hyperparameters":
      return without((pointer) => pointer.startsWith("/hyperparameters/"));
    default:
      return {};
  }
}

/** Problems that no field of the form can show next to itself. */
export function unplaced(problems: Problems, known: readonly string[]): string[] {
  return Object.entries(problems)
    .filter(([pointer]) => !known.includes(pointer))
    .map(([pointer, detail]) => (pointer === "" ? detail : `${pointer.slice(1)}: ${detail}`));
}
