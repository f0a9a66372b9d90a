import type { DraftChange } from "./change-draft";
import type { Choices, Draft } from "./draft";
import type { Problems } from "./submit";

/** Props of every section of the form: the choices, the state, how to change it, and what is wrong. */
export interface FieldsProps {
  choices: Choices;
  draft: Draft;
  edit: (change: DraftChange) => void;
  problems: Problems;
}
