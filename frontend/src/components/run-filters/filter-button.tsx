"use client";

import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { type ComponentProps, lazy, Suspense, useState } from "react";
import type { Chosen } from "@/api/run-filter";
import { withRetry } from "@/api/with-retry";
import { buttonClass } from "@/ui/button";

const load = () => import("./filter-menu");
const FilterMenu = lazy(withRetry(load));

interface FilterButtonProps {
  name: Chosen;
  label: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
}

/**
 * A button that shows a filter's selected values and opens its menu. The menu's code is loaded on hover,
 * focus or press.
 */
export function FilterButton({ name, label, values, onChange }: FilterButtonProps) {
  const [wanted, setWanted] = useState(false);
  const face = { label, values };
  if (!wanted) {
    return (
      <Face
        {...face}
        aria-haspopup="dialog"
        aria-expanded={false}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setWanted(true)}
      />
    );
  }
  return (
    <Suspense fallback={<Face {...face} aria-busy />}>
      <FilterMenu
        name={name}
        label={label}
        trigger={<Face {...face} />}
        values={values}
        onChange={onChange}
      />
    </Suspense>
  );
}

interface FaceProps extends ComponentProps<"button"> {
  label: string;
  values: readonly string[];
}

function Face({ label, values, ...rest }: FaceProps) {
  const [only] = values;
  return (
    <button
      type="button"
      aria-label={values.length > 0 ? `${label}: ${values.join(", ")}` : label}
      className={clsx(
        buttonClass("secondary"),
        "max-w-52 px-2.5 font-normal",
        values.length > 0 ? "border-accent! text-ink" : "text-ink-soft",
      )}
      {...rest}
    >
      {label}
      {values.length > 0 && (
        <span className="truncate font-medium text-accent tabular-nums">
          {values.length === 1 ? only : values.length}
        </span>
      )}
      <ChevronDown aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
    </button>
  );
}
