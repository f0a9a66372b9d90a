import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { type Offer, presetsOf, type VariantDraft, withPresetThatExists } from "./draft";

interface BaseFieldsProps {
  base: VariantDraft;
  offer: Offer;
  onChange: (base: VariantDraft) => void;
}

/** The algorithm and the preset that a grid or a search varies. */
export function BaseFields({ base, offer, onChange }: BaseFieldsProps) {
  const change = (changes: Partial<VariantDraft>) =>
    onChange(withPresetThatExists(offer, { ...base, ...changes }));
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label="Algorithm">
        {(control) => (
          <Select
            {...control}
            value={base.algo}
            onChange={(event) => change({ algo: event.currentTarget.value })}
          >
            {offer.algorithms.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Preset">
        {(control) => (
          <Select
            {...control}
            value={base.preset}
            onChange={(event) => change({ preset: event.currentTarget.value })}
          >
            {presetsOf(offer, base.algo).map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
            <option value="">Defaults</option>
          </Select>
        )}
      </Field>
    </div>
  );
}
