import { useState } from "react";
import { SinkChoice } from "@/components/sink-choice";
import { Disclosure } from "@/components/ui/disclosure";
import { plural } from "@/lib/format";
import type { FieldsProps } from "./form-state";

/** Other programs that the run is delivered to as it trains. They can be changed on its page at any time. */
export function SinkFields({ draft, edit }: FieldsProps) {
  const [open, setOpen] = useState(draft.sinks.length > 0);
  return (
    <Disclosure
      className="px-5 py-3 max-md:px-4"
      open={open}
      onToggle={setOpen}
      summary={<span className="font-semibold">Sinks</span>}
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {draft.sinks.length === 0 ? "none" : plural(draft.sinks.length, "sink")}
        </span>
      }
    >
      {open && (
        <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
          <p className="text-xs text-ink-soft">
            The run is delivered to these programs as it trains. Training does not wait for them.
          </p>
          <SinkChoice chosen={draft.sinks} onChange={(value) => edit({ field: "sinks", value })} />
        </div>
      )}
    </Disclosure>
  );
}
