import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Disclosure } from "@/components/ui/disclosure";
import { plural, setting } from "@/lib/format";
import type { FieldsProps } from "./choice-fields";
import { presetOf } from "./draft";
import { HyperparameterField } from "./hyperparameter-field";
import { hyperparameterPointer } from "./submit";

export function HyperparameterFields({ choices, draft, change, problems }: FieldsProps) {
  const [opened, setOpened] = useState(false);
  const algorithm = choices.algorithms.find(({ id }) => id === draft.algo);
  const preset = presetOf(choices, draft);
  const valueOf = (name: string, fallback: unknown) =>
    setting(preset && name in preset.hyperparameters ? preset.hyperparameters[name] : fallback);
  const schemas = algorithm?.hyperparameters ?? [];
  const changed = schemas.filter(
    (schema) =>
      draft.overrides[schema.name] !== undefined &&
      draft.overrides[schema.name] !== valueOf(schema.name, schema.default),
  ).length;
  const invalid = schemas.some(({ name }) => problems[hyperparameterPointer(name)]);
  return (
    <Disclosure
      className="border-y border-line py-1"
      open={opened || invalid}
      onToggle={setOpened}
      summary="Hyperparameters"
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {changed > 0 ? `${changed} changed` : `preset ${preset?.title ?? ""}`}
        </span>
      }
    >
      <div className="grid grid-cols-2 gap-x-3 gap-y-3 pt-2 pb-3">
        {schemas.map((schema) => (
          <HyperparameterField
            key={schema.name}
            schema={schema}
            value={draft.overrides[schema.name] ?? valueOf(schema.name, schema.default)}
            error={problems[hyperparameterPointer(schema.name)]}
            onChange={(value) => change({ field: "hyperparameter", name: schema.name, value })}
          />
        ))}
      </div>
      {changed > 0 && (
        <Button
          size="sm"
          variant="quiet"
          className="mb-2"
          onClick={() => change({ field: "reset-hyperparameters" })}
        >
          Undo {plural(changed, "change")}
        </Button>
      )}
    </Disclosure>
  );
}
