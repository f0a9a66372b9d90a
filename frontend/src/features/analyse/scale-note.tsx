import type { ReturnsScale } from "@/api/types";
import { plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { NO_VALUES } from "./answer";

interface ScaleNoteProps {
  scale: ReturnsScale;
  onEnvironment: (envId: string) => void;
}

/** On what scale returns of several environments are put together, and a choice of one environment instead. */
export function ScaleNote({ scale: { environments, notes }, onEnvironment }: ScaleNoteProps) {
  if (notes.length === 0) return null;
  const runs = new Map<string, number>();
  for (const { env_id: id, runs: more } of environments) runs.set(id, (runs.get(id) ?? 0) + more);
  return (
    <div className="mb-3 flex flex-col gap-2">
      <p className="max-w-prose text-sm text-ink-soft">{notes.join(" ")}</p>
      {runs.size > 1 && (
        <div
          role="group"
          aria-label="Look at one environment"
          className="flex flex-wrap items-center gap-2"
        >
          <span className="text-sm text-ink-soft">Look at one environment:</span>
          {[...runs].map(([id, count]) => (
            <Button key={id} onClick={() => onEnvironment(id)} title={plural(count, "run")}>
              {id}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Why no run has a value: none has the measure, or none can be put on the scale. */
export function NoValues(props: ScaleNoteProps) {
  return props.scale.notes.length > 0 ? <ScaleNote {...props} /> : NO_VALUES;
}

/** What is added to the name of a measure. */
export function scaleName({ is_normalised: isNormalised }: ReturnsScale): string {
  return isNormalised ? " (normalised)" : "";
}
