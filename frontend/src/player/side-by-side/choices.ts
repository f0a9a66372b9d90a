import type { EvaluatedEpisode, Evaluation } from "@/api/types";
import { decimal } from "@/lib/number";

/** An evaluation among those whose episodes can be put beside each other. */
export interface Source {
  evaluation: Evaluation;
  /** Distinguishes it from the others: "step 30,208", or the name of its run. */
  name: string;
}

/** One episode of an evaluation with a video and step records. */
export interface EpisodeChoice extends Source {
  episode: EvaluatedEpisode;
  id: string;
}

/** Every episode that can be shown. */
export function choicesOf(sources: readonly Source[]): EpisodeChoice[] {
  return sources
    .filter(({ evaluation }) => canBeShown(evaluation))
    .flatMap((source) =>
      (source.evaluation.summary?.episodes ?? []).map((episode) => ({
        ...source,
        episode,
        id: `${source.evaluation.id} ${episode.index}`,
      })),
    );
}

/** The first two episodes of different sources that were played on the same seed; null: there are none. */
export function pairOnOneSeed(all: readonly EpisodeChoice[]): [string, string] | null {
  for (const one of all) {
    const two = besides(one, all).find(({ evaluation }) => evaluation.id !== one.evaluation.id);
    if (two) return [one.id, two.id];
  }
  return null;
}

export function canBeShown({ summary, video_url, has_steps }: Evaluation): boolean {
  return Boolean(summary?.video && video_url && has_steps);
}

/** The choices for the second episode: of the same evaluation, or of another one on the same seed. */
export function besides(one: EpisodeChoice, all: readonly EpisodeChoice[]): EpisodeChoice[] {
  return all.filter(
    (other) =>
      other.id !== one.id &&
      (other.evaluation.id === one.evaluation.id || other.episode.seed === one.episode.seed),
  );
}

export function choiceName({ episode, name }: EpisodeChoice): string {
  return `${name}, episode ${episode.index}: return ${decimal(episode.episode_return)}`;
}
