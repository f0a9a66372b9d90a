import { RotateCcw } from "lucide-react";
import { parseInteger } from "@/forms/parse";
import { duration } from "@/lib/format-time";
import { compact, count } from "@/lib/number";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { Slider } from "@/ui/slider";
import { algorithmOf, presetOf, timestepsOf } from "./draft";
import { estimate } from "./expectation";
import type { FieldsProps } from "./form-state";
import { positionOf, valueAt } from "./log-scale";
import { roundingNote } from "./rounding";
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
    time !== null && `about ${duration(time)}, by what was measured`,
  ];
  return (
    <Field
      label="Timesteps"
      hint={hint.filter(Boolean).join(" · ")}
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
