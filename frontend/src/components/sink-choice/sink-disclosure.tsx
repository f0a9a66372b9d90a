import { useState } from "react";
import type { SinkKind } from "@/api/types";
import { plural } from "@/lib/number";
import { Disclosure } from "@/ui/disclosure";
import { SinkChoice } from "./sink-choice";

interface SinkDisclosureProps {
  chosen: readonly SinkKind[];
  onChange: (chosen: SinkKind[]) => void;
  className?: string;
}

/** The part of a form that says which other programs new runs are delivered to as they train. */
export function SinkDisclosure({ chosen, onChange, className }: SinkDisclosureProps) {
  const [open, setOpen] = useState(chosen.length > 0);
  return (
    <Disclosure
      className={className}
      open={open}
      onToggle={setOpen}
      summary={<span className="font-semibold">Sinks</span>}
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {chosen.length === 0 ? "none" : plural(chosen.length, "sink")}
        </span>
      }
    >
      {open && (
        <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
          <p className="text-xs text-ink-soft">
            Runs are delivered to these programs as they train. Training does not wait for them.
          </p>
          <SinkChoice chosen={chosen} onChange={onChange} />
        </div>
      )}
    </Disclosure>
  );
}
