import type { ClipOptions } from "@/api/film";
import { hasEnded } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import type { ChartGroup } from "@/charts/chart-group";
import { createStore, type Store } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { clipOptionsOf } from "@/player/film";

/**
 * Options of the film besides the moment: the seed, greedy or exploring, and whether the video of the whole training is
 * shown.
 */
export interface FilmChoice extends ClipOptions {
  growth: boolean;
}

const choices = new WeakMap<ChartGroup, Store<Partial<FilmChoice>>>();

/** The choice belongs to the charts of a page: the strip and the player share it, like the moment. */
function filmChoice(group: ChartGroup): Store<Partial<FilmChoice>> {
  let store = choices.get(group);
  if (!store) choices.set(group, (store = createStore({})));
  return store;
}

export function optionsOf({ seed, greedy }: FilmChoice): ClipOptions {
  return { seed, greedy };
}

/** What was chosen; otherwise what is usual for `run`. */
export function useFilmChoice(
  run: RunDetail,
  group: ChartGroup,
): [FilmChoice, (change: Partial<FilmChoice>) => void] {
  const store = filmChoice(group);
  const choice = { ...clipOptionsOf(run), growth: false, ...useStore(store) };
  return [choice, (change) => store.set({ ...store.get(), ...change })];
}

/** Why a run keeps no policy, in words. */
export function whyNoFilm(run: Pick<RunDetail, "status">): string {
  if (!hasEnded(run)) return "The policies of this run appear here as it learns.";
  return "No film: no policy of this run was kept. It ended too early, an older version trained it, or RLVIZ_KEEP_FILM was 0.";
}
