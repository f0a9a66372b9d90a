import { controlClass, Field } from "@/components/ui/field";
import { compact } from "@/lib/format";
import { timestepsOf } from "./draft";
import type { FieldsProps } from "./choice-fields";

/** How long to train, from which seed, and under which name. */
export function RunFields({ choices, draft, change, problems }: FieldsProps) {
  const algorithm = choices.algorithms.find(({ id }) => id === draft.algo);
  const environment = choices.environments.find(({ id }) => id === draft.env);
  const bounds = algorithm?.total_timesteps;
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field
        label="Timesteps"
        hint={bounds && `${compact(bounds.minimum)} to ${compact(bounds.maximum)}`}
        error={problems["/total_timesteps"]}
      >
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            className={controlClass}
            value={timestepsOf(choices, draft)}
            onChange={(event) => change({ field: "timesteps", value: event.target.value })}
          />
        )}
      </Field>
      <Field label="Seed" hint="Blank draws one" error={problems["/seed"]}>
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            placeholder="random"
            className={controlClass}
            value={draft.seed}
            onChange={(event) => change({ field: "seed", value: event.target.value })}
          />
        )}
      </Field>
      <Field label="Name" error={problems["/name"]} className="col-span-2">
        {(control) => (
          <input
            {...control}
            autoComplete="off"
            maxLength={120}
            placeholder={`${algorithm?.name ?? ""} on ${environment?.name ?? ""}`}
            className={controlClass}
            value={draft.name}
            onChange={(event) => change({ field: "name", value: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
