import type { ClipOptions } from "@/api/film";
import { hasEnded } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import type { ChartGroup } from "@/charts/chart-group";
import { createStore, type Store } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { DEFAULT_CLIP_OPTIONS } from "@/player/film";

/**
 * Options of the film besides the moment: the seed, greedy or exploring, and whether the video of the whole training is
 * shown.
 */
export interface FilmChoice extends ClipOptions {
  growth: boolean;
}

const USUAL: FilmChoice = { ...DEFAULT_CLIP_OPTIONS, growth: false };

const choices = new WeakMap<ChartGroup, Store<FilmChoice>>();

/** The choice belongs to the charts of a page: the strip and the player share it, like the moment. */
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

/** Why a run keeps no policy, in words. */
export function whyNoFilm(run: Pick<RunDetail, "status">): string {
  if (!hasEnded(run)) return "The policies of this run appear here as it learns.";
  return "No film: no policy of this run was kept. It ended too early, an older version trained it, or RLVIZ_KEEP_FILM was 0.";
}
