"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { controlClass, Field } from "@/components/ui/field";
import { setting } from "@/lib/format";

interface ThresholdFieldProps {
  /** What the address says; null: the environment's own. */
  chosen: number | null;
  /** What the service used. */
  used: number | null;
  onChange: (threshold: number | null) => void;
}

/** The return to reach. Every number takes effect as it is typed. */
export function ThresholdField({ chosen, used, onChange }: ThresholdFieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft ?? setting(chosen ?? used ?? "");
  const wrong = draft !== null && draft.trim() !== "" && !Number.isFinite(Number(draft));
  const type = (text: string) => {
    setDraft(text);
    if (text.trim() === "") onChange(null);
    else if (Number.isFinite(Number(text))) onChange(Number(text));
  };
  return (
    <div className="flex items-end gap-1.5">
      <Field label="Threshold" className="w-28" error={wrong ? "Enter a number" : undefined}>
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            placeholder="none"
            value={shown}
            onChange={(event) => type(event.target.value)}
            onBlur={() => setDraft(null)}
            className={controlClass}
          />
        )}
      </Field>
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
