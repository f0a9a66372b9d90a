import type { ClipOptions } from "@/api/film";
import type { ChartGroup } from "@/charts/chart-group";
import { createStore, type Store } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { DEFAULT_CLIP_OPTIONS } from "@/player/film";

/** What is played besides the moment: on which seed, how, and whether it is the video of the whole training. */
export interface FilmChoice extends ClipOptions {
  growth: boolean;
}

const USUAL: FilmChoice = { ...DEFAULT_CLIP_OPTIONS, growth: false };

const choices = new WeakMap<ChartGroup, Store<FilmChoice>>();

/** The choice that belongs to the charts of a page: the strip and the player share it, as they share the moment. */
function filmChoice(group: ChartGroup): Store<FilmChoice> {
  let store = choices.get(group);
  if (!store) choices.set(group, (store = createStore(USUAL)));
  return store;
}

export function optionsOf({ seed, greedy }: FilmChoice): ClipOptions {
  return { seed, greedy };
}

export function useFilmChoice(
  group: ChartGroup,
): [FilmChoice, (change: Partial<FilmChoice>) => void] {
  const store = filmChoice(group);
  const choice = useStore(store);
  return [choice, (change) => store.set({ ...store.get(), ...change })];
}
