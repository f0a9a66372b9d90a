"use client";

import clsx from "clsx";
import { ChevronsUpDown } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { type ComboboxOption, OptionList, type Searching } from "./combobox-options";
import type { ControlProps } from "./field";
import { Popover } from "./popover";
import { controlClass } from "./select";

interface ComboboxProps extends Searching, Partial<ControlProps> {
  /** The accessible name, whether or not a visible label stands above. */
  label: string;
  options: readonly ComboboxOption[];
  value: string | null;
  onChange: (value: string) => void;
  /** Placeholder while nothing is selected. */
  empty?: string;
  /** Label for a value that is not among `options`, which happens if the service searches. */
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

/** A button that looks like a field, because it shows a value. */
function ComboboxTrigger({ className, children, ...rest }: ComponentProps<"button">) {
  return (
    <button
      type="button"
      className={clsx(controlClass, "flex items-center justify-between gap-2 text-left", className)}
      {...rest}
    >
      <span className="min-w-0 truncate">{children}</span>
      <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
    </button>
  );
}
