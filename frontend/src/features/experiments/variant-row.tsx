import { X } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { fieldsOf, type Offer, presetsOf, type VariantDraft, variantName } from "./draft";
import { POINTERS, problemAt, type Problems } from "./problems";
import { TypedFields } from "./typed-fields";

interface VariantRowProps {
  variant: VariantDraft;
  place: number;
  offer: Offer;
  problems: Problems;
  onChange: (changes: Partial<VariantDraft>) => void;
  /** null: it is the only one. */
  onRemove: (() => void) | null;
}

/** One variant: its algorithm and preset; opened, also what it is called and what is changed of that. */
export function VariantRow(props: VariantRowProps) {
  const { variant, place, offer, problems, onChange, onRemove } = props;
  const { algo, preset, name = "", changes = [] } = variant;
  const limits = useLimits();
  const [opened, setOpened] = useState(false);
  const misnamed = problemAt(problems, POINTERS.variantName(place));
  const wrong =
    misnamed !== undefined ||
    changes.some((one) => problemAt(problems, POINTERS.change(place, one.name)));
  return (
    <div className="grid grid-cols-[1fr_1fr_auto] items-center gap-x-2">
      <Select
        aria-label={`Algorithm ${place + 1}`}
        value={algo}
        onChange={(event) => onChange({ algo: event.currentTarget.value, changes: [] })}
      >
        {offer.algorithms.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`Preset ${place + 1}`}
        value={preset}
        onChange={(event) => onChange({ preset: event.currentTarget.value })}
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
        disabled={onRemove === null}
        onClick={() => onRemove?.()}
      />
      <Disclosure
        className="col-span-3"
        open={opened || wrong}
        onToggle={setOpened}
        summary={
          <span className="text-xs font-normal text-ink-faint">{variantName(variant, offer)}</span>
        }
      >
        <div className="flex flex-col gap-2 pb-2 pl-5">
          <Field label={`Name ${place + 1}`} hint="Empty: made from what it is." error={misnamed}>
            {(control) => (
              <input
                {...control}
                className={controlClass}
                maxLength={limits?.variant_name.maximum}
                value={name}
                onChange={(event) => onChange({ name: event.currentTarget.value })}
              />
            )}
          </Field>
          <TypedFields
            legend={`Changed in line ${place + 1}`}
            fields={fieldsOf(offer, algo)}
            typed={changes}
            several={false}
            problemOf={(field) => problemAt(problems, POINTERS.change(place, field))}
            onChange={(typed) => onChange({ changes: typed })}
          />
        </div>
      </Disclosure>
    </div>
  );
}
