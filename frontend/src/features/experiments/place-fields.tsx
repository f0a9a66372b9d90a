import { Plus } from "lucide-react";
import type { Environment } from "@/api/types";
import { Button } from "@/ui/button";
import { type ExperimentDraft, nextPlace, type Place, placesOf } from "./draft";
import { EnvironmentFields } from "./environment-fields";
import type { Problems } from "./problems";

interface PlaceFieldsProps {
  draft: ExperimentDraft;
  environments: readonly Environment[];
  problems: Problems;
  onChange: (places: readonly Place[]) => void;
}

/** Where is trained: one environment, or, where variants are compared, several. */
export function PlaceFields({ draft, environments, problems, onChange }: PlaceFieldsProps) {
  const places = placesOf(draft);
  const rest = draft.places.slice(places.length);
  const next = draft.kind === "variants" ? nextPlace(draft, environments) : null;
  return (
    <>
      {places.map((place, at) => (
        <EnvironmentFields
          key={at}
          {...{ place, at, environments, problems }}
          onChange={(changed) => onChange([...places.with(at, changed), ...rest])}
          onRemove={at === 0 ? null : () => onChange(places.toSpliced(at, 1))}
        />
      ))}
      {next && (
        <Button
          variant="quiet"
          size="sm"
          className="-mt-2 self-start"
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() => onChange([...places, next])}
        >
          Another environment
        </Button>
      )}
      {places.length > 1 && (
        <p className="-mt-2 text-xs text-ink-faint">
          Each line is trained in all of them, and compared over all by normalised scores.
        </p>
      )}
    </>
  );
}
