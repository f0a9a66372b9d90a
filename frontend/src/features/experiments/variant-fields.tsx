import { Plus, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import {
  firstVariant,
  type Offer,
  presetsOf,
  type VariantDraft,
  withPresetThatExists,
} from "./draft";

interface VariantFieldsProps {
  variants: readonly VariantDraft[];
  offer: Offer;
  onChange: (variants: readonly VariantDraft[]) => void;
}

/** What is compared: an algorithm with one of its presets on each line. */
export function VariantFields({ variants, offer, onChange }: VariantFieldsProps) {
  const set = (place: number, changes: Partial<VariantDraft>) =>
    onChange(
      variants.map((one, at) =>
        at === place ? withPresetThatExists(offer, { ...one, ...changes }) : one,
      ),
    );
  const [first] = offer.algorithms;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-ink-soft">Compared</legend>
      {variants.map(({ algo, preset }, place) => {
        return (
          <div key={place} className="flex items-center gap-2">
            <Select
              aria-label={`Algorithm ${place + 1}`}
              value={algo}
              onChange={(event) => set(place, { algo: event.currentTarget.value })}
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
