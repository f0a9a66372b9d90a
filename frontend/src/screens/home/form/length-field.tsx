import { RotateCcw } from "lucide-react";
import { parseHyperparameter, parseInteger } from "@/forms/parse";
import { aboutDuration } from "@/lib/format-time";
import { compact, count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { Slider } from "@/ui/slider";
import {
  algorithmOf,
  type Choices,
  type Draft,
  type FieldsProps,
  presetOf,
  schemasOf,
  timestepsOf,
  untouched,
} from "./draft";
import { estimate } from "./expectation";
import { POINTERS } from "./submit";

/** Training length: a number field and a slider with a logarithmic scale. */
export function LengthField({ choices, draft, edit, problems }: FieldsProps) {
  const bounds = algorithmOf(choices, draft)?.total_timesteps ?? { minimum: 1, maximum: 1 };
  const preset = presetOf(choices, draft);
  const text = timestepsOf(choices, draft);
  const parsed = parseInteger(text, {});
  const value = parsed.ok ? (parsed.value as number) : Number.NaN;
  const time = estimate(preset, value);
  const own = preset && draft.timesteps !== null && value !== preset.total_timesteps;
  const hint = [
    `${compact(bounds.minimum)} to ${compact(bounds.maximum)}`,
    roundingNote(choices, draft, value),
    time !== null && `${aboutDuration(time)} as measured`,
  ];
  const warning = shortTrainingWarning(choices, draft, value);
  return (
    <Field
      label="Timesteps"
      hint={
        <>
          {hint.filter(Boolean).join(" · ")}
          {warning && <span className="block text-warn">{warning}</span>}
        </>
      }
      error={problems[POINTERS.timesteps]}
      aside={
        own && (
          <span className="flex items-center gap-1 text-2xs text-warn">
            preset: {count(preset.total_timesteps)}
            <Button
              size="sm"
              variant="quiet"
              className="-my-2 px-1!"
              aria-label="Reset the training length to the preset's"
              onClick={() => edit({ field: "timesteps", value: null })}
            >
              <RotateCcw aria-hidden className="size-3" />
            </Button>
          </span>
        )
      }
    >
      {(control) => (
        <div className="flex items-center gap-3">
          <input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            className={`${controlClass} max-w-32 shrink-0`}
            value={text}
            onChange={(event) => edit({ field: "timesteps", value: event.target.value })}
          />
          <Slider
            label="Training length"
            min={0}
            max={1}
            step={0.005}
            value={positionOf(value, bounds)}
            valueText={`${count(value)} steps`}
            onChange={(position) =>
              edit({ field: "timesteps", value: String(valueAt(position, bounds)) })
            }
          />
        </div>
      )}
    </Field>
  );
}

interface Bounds {
  minimum: number;
  maximum: number;
}

/**
 * Warns of a run with too few rollouts to learn, in the sentences that the service gives for each algorithm;
 * null if it is long enough.
 */
export function shortTrainingWarning(
  choices: Choices,
  draft: Draft,
  timesteps: number,
): string | null {
  const warnings = algorithmOf(choices, draft)?.short_training;
  const steps = rolloutSteps(choices, draft);
  if (!warnings || steps === null || !(timesteps > 0)) return null;
  const updates = Math.ceil(timesteps / steps);
  if (updates >= warnings.fewest_updates) return null;
  const schedule = schemasOf(choices, draft, "hyperparameters").find(
    (one) => one.name === "learning_rate_schedule",
  );
  const isLinear =
    schedule !== undefined &&
    (draft.hyperparameters[schedule.name] ??
      untouched(choices, draft, "hyperparameters", schedule)) === "linear";
  const single = isLinear ? warnings.nothing : warnings.single;
  return (updates > 1 ? warnings.few : single)
    .replace("{updates}", count(updates))
    .replace("{rollout}", count(steps))
    .replace("{enough}", count(warnings.fewest_updates * steps));
}

/** Position of `value` between the bounds on a logarithmic scale, from 0 to 1. */
export function positionOf(value: number, { minimum, maximum }: Bounds): number {
  if (!(value > 0)) return 0;
  const share = Math.log(value / minimum) / Math.log(maximum / minimum);
  return Math.min(1, Math.max(0, share));
}

/** The value at a position between 0 and 1, rounded to two significant digits. */
export function valueAt(position: number, { minimum, maximum }: Bounds): number {
  const exact = minimum * (maximum / minimum) ** position;
  return Math.min(maximum, Math.max(minimum, Number(exact.toPrecision(2))));
}

/**
 * Environment steps of one rollout with the values in the form; null while one of the factors is not a valid
 * number.
 */
function rolloutSteps(choices: Choices, draft: Draft): number | null {
  const factors = algorithmOf(choices, draft)?.rollout_factors ?? [];
  const schemas = schemasOf(choices, draft, "hyperparameters");
  let steps = 1;
  for (const name of factors) {
    const schema = schemas.find((one) => one.name === name);
    if (!schema) return null;
    const typed = draft.hyperparameters[name];
    const parsed = typed === undefined ? null : parseHyperparameter(schema, typed);
    const value = parsed?.ok ? parsed.value : untouched(choices, draft, "hyperparameters", schema);
    if (typeof value !== "number" || !(value > 0)) return null;
    steps *= value;
  }
  return steps;
}

/**
 * Says how many steps training will make if it rounds up to whole rollouts; null if it ends exactly at
 * `timesteps`.
 */
export function roundingNote(choices: Choices, draft: Draft, timesteps: number): string | null {
  const steps = rolloutSteps(choices, draft);
  if (steps === null || !(timesteps > 0) || timesteps % steps === 0) return null;
  const rollouts = Math.ceil(timesteps / steps);
  return `rounded up to ${plural(rollouts, "rollout")} = ${count(rollouts * steps)}`;
}
