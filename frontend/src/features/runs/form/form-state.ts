import type { Choices, Draft, DraftChange } from "./draft";
import type { Problems } from "./submit";

/** What every part of the form reads and writes. */
export interface FieldsProps {
  choices: Choices;
  draft: Draft;
  edit: (change: DraftChange) => void;
  problems: Problems;
}
