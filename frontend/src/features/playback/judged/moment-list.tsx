import type { KeyMoment } from "@/api/types";
import { count } from "@/lib/number";
import {
  middleOf,
  type PlaybackController,
  usePlaybackTime,
} from "@/player/video/playback-controller";
import { type Chapter, chapterAt } from "@/player/video/shortcuts";
import { MEANINGS, momentAmount, momentName } from "./moments";

interface MomentListProps {
  moments: readonly KeyMoment[];
  controller: PlaybackController;
  /** One an episode. */
  chapters: readonly Chapter[];
  fps: number;
}

/** The key moments of the episode that plays; each seeks the video. */
export function MomentList({ moments, controller, chapters, fps }: MomentListProps) {
  const episode = usePlaybackTime(controller, (time) => chapterAt(chapters, time)) + 1;
  const own = moments.filter((moment) => moment.episode === episode);
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="text-xs text-ink-faint">Key moments of episode {episode}</h3>
      {own.length === 0 ? (
        <p className="text-xs text-ink-soft">Nothing stands out in this episode.</p>
      ) : (
        <ul aria-label={`Key moments of episode ${episode}`} className="flex flex-wrap gap-1.5">
          {own.map((moment) => (
            <li key={moment.kind}>
              <button
                type="button"
                title={MEANINGS[moment.kind]}
                onClick={() => {
                  controller.pause();
                  controller.seek(middleOf(moment.frame, fps));
                }}
                className="flex min-h-7 items-baseline gap-1.5 rounded-md border border-line bg-raised px-2 py-1 text-xs tabular-nums transition-colors hover:border-control-line hover:bg-sunken max-md:min-h-10 max-md:items-center"
              >
                <span className="font-medium">{momentName(moment)}</span>
                <span className="text-ink-soft">{momentAmount(moment)}</span>
                <span className="text-ink-faint">step {count(moment.step)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
