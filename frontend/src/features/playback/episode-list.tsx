import clsx from "clsx";
import type { EvaluatedEpisode } from "@/api/types";
import { count, decimal } from "@/lib/number";
import { type PlaybackController, usePlaybackTime } from "@/player/video/playback-controller";
import { type Chapter, chapterAt } from "@/player/video/shortcuts";
import { useShortened } from "@/ui/tooltip";

interface EpisodeListProps {
  episodes: readonly EvaluatedEpisode[];
  /** null where there is no video to jump in. */
  playing: { controller: PlaybackController; chapters: readonly Chapter[] } | null;
}

/** Episodes that are listed at first. */
const MOST = 10;

const columns = "grid w-full grid-cols-[1.5rem_1fr_1fr_5rem] gap-2 px-2";

export function EpisodeList({ episodes, playing }: EpisodeListProps) {
  const { shown, more } = useShortened(episodes, MOST);
  return (
    <div className="flex flex-col gap-1">
      <div aria-hidden className={clsx(columns, "pb-1 text-right text-xs text-ink-faint")}>
        <span className="text-left">#</span>
        <span>Return</span>
        <span>Length</span>
        <span>End</span>
      </div>
      <ol aria-label="Episodes" className="overflow-hidden rounded-md border border-line">
        {shown.map((episode, position) => (
          <li key={episode.index} className="border-line not-first:border-t">
            {playing ? (
              <Jump episode={episode} position={position} {...playing} />
            ) : (
              <div className={clsx(columns, "py-1.5 text-right text-xs tabular-nums")}>
                <Cells episode={episode} position={position} />
              </div>
            )}
          </li>
        ))}
      </ol>
      {more}
    </div>
  );
}

interface LineProps {
  episode: EvaluatedEpisode;
  position: number;
}

function Jump({
  episode,
  position,
  controller,
  chapters,
}: LineProps & { controller: PlaybackController; chapters: readonly Chapter[] }) {
  const current = usePlaybackTime(controller, (time) => chapterAt(chapters, time) === position);
  return (
    <button
      type="button"
      aria-current={current ? "true" : undefined}
      aria-label={`Play episode ${position + 1}: return ${decimal(episode.episode_return)}, ${count(episode.episode_length)} steps, ${ending(episode)}`}
      onClick={() => {
        controller.seek(chapters[position]?.start ?? 0);
        controller.play();
      }}
      className={clsx(
        columns,
        "py-1.5 text-right text-xs tabular-nums -outline-offset-2! transition-colors max-md:py-2.5",
        current ? "bg-accent-tint shadow-[inset_2px_0_0_var(--accent)]" : "hover:bg-sunken",
      )}
    >
      <Cells episode={episode} position={position} />
    </button>
  );
}

function Cells({ episode, position }: LineProps) {
  return (
    <>
      <span className="text-left text-ink-faint">{position + 1}</span>
      <span className="font-medium">{decimal(episode.episode_return)}</span>
      <span>{count(episode.episode_length)}</span>
      <span className="text-ink-soft">{ending(episode)}</span>
    </>
  );
}

function ending({ terminated, truncated }: EvaluatedEpisode): string {
  return truncated ? "truncated" : terminated ? "terminated" : "not known";
}
