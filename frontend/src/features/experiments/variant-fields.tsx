import { Plus, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { Disclosure } from "@/components/ui/disclosure";
import { controlClass, Field } from "@/components/ui/field";
import { useLimits } from "@/lib/registry";
import {
  fieldsOf,
  firstVariant,
  type Offer,
  presetsOf,
  type VariantDraft,
  variantName,
  withPresetThatExists,
} from "./draft";
import { TypedFields } from "./typed-fields";

interface VariantFieldsProps {
  variants: readonly VariantDraft[];
  offer: Offer;
  problems: ReadonlyMap<string, string>;
  onChange: (variants: readonly VariantDraft[]) => void;
}

/** What is compared: an algorithm with one of its presets on each line, called and changed at will. */
export function VariantFields({ variants, offer, problems, onChange }: VariantFieldsProps) {
  const set = (place: number, changes: Partial<VariantDraft>) =>
    onChange(
      variants.map((one, at) =>
        at === place ? withPresetThatExists(offer, { ...one, ...changes }) : one,
      ),
    );
  const limits = useLimits();
  const [first] = offer.algorithms;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-ink-soft">Compared</legend>
      {variants.map((variant, place) => {
        const { algo, preset, name = "", changes = [] } = variant;
        return (
          <div key={place} className="grid grid-cols-[1fr_1fr_auto] items-center gap-x-2">
            <Select
              aria-label={`Algorithm ${place + 1}`}
              value={algo}
              onChange={(event) => set(place, { algo: event.currentTarget.value, changes: [] })}
            >
              {offer.algorithms.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
            <Select
              aria-label={`Preset ${place + 1}`}
              value={preset}
              onChange={(event) => set(place, { preset: event.currentTarget.value })}
            >
              {presetsOf(offer, algo).map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
              <option value="">Defaults</option>
            </Select>
            <Button
              variant="quiet"
              aria-label={`Remove line ${place + 1}`}
              icon={<X aria-hidden className="size-4" />}
              disabled={variants.length < 2}
              onClick={() => onChange(variants.filter((_, at) => at !== place))}
            />
            <Disclosure
              className="col-span-3"
              summary={
                <span className="text-xs font-normal text-ink-faint">
                  {variantName(variant, offer)}
                </span>
              }
            >
              <div className="flex flex-col gap-2 pb-2 pl-5">
                <Field label={`Name ${place + 1}`} hint="Empty: made from what it is.">
                  {(control) => (
                    <input
                      {...control}
                      className={controlClass}
                      maxLength={limits?.variant_name.maximum}
                      value={name}
                      onChange={(event) => set(place, { name: event.currentTarget.value })}
                    />
                  )}
                </Field>
                <TypedFields
                  legend={`Changed in line ${place + 1}`}
                  fields={fieldsOf(offer, algo)}
                  typed={changes}
                  several={false}
                  problemOf={(field) => problems.get(`variants/${place}/${field}`)}
                  onChange={(typed) => set(place, { changes: typed })}
                />
              </div>
            </Disclosure>
          </div>
        );
      })}
      {first && (
        <Button
          variant="quiet"
          size="sm"
          className="self-start"
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() => onChange([...variants, firstVariant(offer, first.id)])}
        >
          Another
        </Button>
      )}
    </fieldset>
  );
}
