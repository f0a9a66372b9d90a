"use client";

import { Button } from "../button";
import type { ControlProps } from "../field";
import { Popover } from "../popover";
import { type ComboboxOption, OptionList, type Searching } from "./options";
import { ComboboxTrigger } from "./trigger";

interface MultiComboboxProps extends Searching, Partial<ControlProps> {
  label: string;
  options: readonly ComboboxOption[];
  values: readonly string[];
  onChange: (values: string[]) => void;
  /** Shown while none is chosen. */
  empty?: string;
  disabled?: boolean;
  className?: string;
}

/** Several of many. The list stays open while choosing. */
export function MultiCombobox({
  label,
  options,
  values,
  onChange,
  empty = "Any",
  disabled,
  className,
  id,
  "aria-describedby": describedBy,
  "aria-invalid": invalid,
  ...searching
}: MultiComboboxProps) {
  const labels = values.map((v) => options.find((option) => option.value === v)?.label ?? v);
  const text = labels.length === 0 ? empty : labels.join(", ");
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter((v) => v !== value) : [...values, value]);
  return (
    <Popover
      label={label}
      className="w-(--radix-popover-trigger-width) min-w-64"
      trigger={
        <ComboboxTrigger
          id={id}
          aria-label={`${label}: ${text}`}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          disabled={disabled}
          className={className}
        >
          {text}
        </ComboboxTrigger>
      }
    >
      <OptionList
        {...searching}
        label={label}
        options={options}
        chosen={(value) => values.includes(value)}
        onChoose={toggle}
        footer={
          values.length > 0 && (
            <div className="border-t border-line p-1">
              <Button size="sm" variant="quiet" className="w-full" onClick={() => onChange([])}>
                Clear
              </Button>
            </div>
          )
        }
      />
    </Popover>
  );
}
