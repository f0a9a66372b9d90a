import type { RuleDraft } from "@/forms/rules/draft";
import { createStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";

type Edited = readonly RuleDraft[] | null;

/** Rules that were edited and not saved, by run. They outlive the panel: a look at another tab loses nothing. */
export const unsaved = createStore<Readonly<Record<string, Edited>>>({});

/** What was edited of the rules of a run, null for nothing, and how to set it. */
export function useUnsaved(run: string): [Edited, (edited: Edited) => void] {
  const edited = useStore(unsaved)[run] ?? null;
  return [edited, (next) => unsaved.set({ ...unsaved.get(), [run]: next })];
}
