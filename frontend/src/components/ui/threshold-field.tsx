"use client";

import clsx from "clsx";
import { RotateCcw } from "lucide-react";
import { useId, useState } from "react";
import { parseNumber, setting } from "@/lib/number";
import { Button } from "./button";
import { controlClass } from "./control-class";

interface ThresholdFieldProps {
  /** The threshold in the address; null: the environment's own. */
  chosen: number | null;
  /** The threshold that the service used. */
  used: number | null;
  /** What stands there without one. */
  none?: string;
  onChange: (threshold: number | null) => void;
}

/** A field for the return to reach. Every valid number takes effect while typing. */
export function ThresholdField({ chosen, used, none = "none", onChange }: ThresholdFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft ?? setting(chosen ?? used ?? "");
  const wrong = draft !== null && draft.trim() !== "" && !Number.isFinite(parseNumber(draft));
  const type = (text: string) => {
    setDraft(text);
    if (text.trim() === "") onChange(null);
    else if (Number.isFinite(parseNumber(text))) onChange(parseNumber(text));
  };
  return (
    <div className="flex items-center gap-1.5">
      {wrong && (
        <span id={`${id}-note`} role="alert" className="text-xs text-bad">
          Enter a number
        </span>
      )}
      <label htmlFor={id} className="text-xs text-ink-soft">
        Threshold
      </label>
      <input
        id={id}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? `${id}-note` : undefined}
        inputMode="decimal"
        autoComplete="off"
        placeholder={none}
        value={shown}
        onChange={(event) => type(event.target.value)}
        onBlur={() => setDraft(null)}
        className={clsx(controlClass, "w-20!")}
      />
      {chosen !== null && (
        <Button
          variant="quiet"
          aria-label="Threshold of the environment"
          title="Back to the environment's own"
          onClick={() => {
            setDraft(null);
            onChange(null);
          }}
          icon={<RotateCcw aria-hidden className="size-3.5" />}
        />
      )}
    </div>
  );
}
