"use client";

import { useState } from "react";
import type { ControlProps } from "../field";
import { Popover } from "../popover";
import { type ComboboxOption, OptionList, type Searching } from "./options";
import { ComboboxTrigger } from "./trigger";

interface ComboboxProps extends Searching, Partial<ControlProps> {
  /** The accessible name, whether or not a visible label stands above. */
  label: string;
  options: readonly ComboboxOption[];
  value: string | null;
  onChange: (value: string) => void;
  /** Placeholder while nothing is selected. */
  empty?: string;
  /** Label for a value that is not among `options`, as happens when the service does the searching. */
  shown?: string;
  disabled?: boolean;
  className?: string;
}

/** A select with a search field. For a few options, use `Select`. */
export function Combobox({
  label,
  options,
  value,
  onChange,
  empty = "Choose…",
  shown,
  disabled,
  className,
  id,
  "aria-describedby": describedBy,
  "aria-invalid": invalid,
  ...searching
}: ComboboxProps) {
  const [open, setOpen] = useState(false);
  const text = options.find((option) => option.value === value)?.label ?? shown ?? empty;
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
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
        chosen={(option) => option === value}
        onChoose={(option) => {
          onChange(option);
          setOpen(false);
        }}
      />
    </Popover>
  );
}
