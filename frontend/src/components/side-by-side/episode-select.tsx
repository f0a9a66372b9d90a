import { Select } from "@/ui/select";
import { choiceName, type EpisodeChoice } from "./choices";

interface EpisodeSelectProps {
  label: string;
  choices: readonly EpisodeChoice[];
  /** Id of the one that is chosen. */
  value: string;
  onChange: (id: string) => void;
}

/** Chooses one of some episodes, by evaluation. */
export function EpisodeSelect({ label, choices, value, onChange }: EpisodeSelectProps) {
  const evaluations = [...new Set(choices.map(({ evaluation }) => evaluation.id))];
  return (
    <Select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {evaluations.map((id) => {
        const own = choices.filter(({ evaluation }) => evaluation.id === id);
        return (
          <optgroup key={id} label={own[0]?.name}>
            {own.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choiceName(choice)}
              </option>
            ))}
          </optgroup>
        );
      })}
    </Select>
  );
}
