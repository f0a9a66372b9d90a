import { SinkDisclosure } from "@/forms/sink-choice";
import type { FieldsProps } from "./form-state";

/** Other programs that the run is delivered to as it trains. They can be changed on its page at any time. */
export function SinkFields({ draft, edit }: FieldsProps) {
  return (
    <SinkDisclosure
      className="px-5 py-3 max-md:px-4"
      chosen={draft.sinks}
      onChange={(value) => edit({ field: "sinks", value })}
    />
  );
}
