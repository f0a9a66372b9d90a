import { Plus } from "lucide-react";
import { Button } from "@/ui/button";
import { firstVariant, type Offer, type VariantDraft, withPresetThatExists } from "./draft";
import type { Problems } from "./problems";
import { VariantRow } from "./variant-row";

interface VariantFieldsProps {
  variants: readonly VariantDraft[];
  offer: Offer;
  problems: Problems;
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
  const [first] = offer.algorithms;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-ink-soft">Compared</legend>
      {variants.map((variant, place) => (
        <VariantRow
          key={place}
          {...{ variant, place, offer, problems }}
          onChange={(changes) => set(place, changes)}
          onRemove={
            variants.length > 1 ? () => onChange(variants.filter((_, at) => at !== place)) : null
          }
        />
      ))}
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
