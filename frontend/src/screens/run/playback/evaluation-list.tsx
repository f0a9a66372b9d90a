import clsx from "clsx";
import { CircleX, Film, VideoOff } from "lucide-react";
import { isUnderWay, whyNoVideo } from "@/api/evaluate";
import type { EvaluatedEpisode, Evaluation } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { brief, count, decimal } from "@/lib/number";
import { useNow } from "@/lib/time";
import { type PlaybackController, usePlaybackTime } from "@/player/video/playback-controller";
import { type Chapter, chapterAt } from "@/player/video/shortcuts";
import { Disclosure } from "@/ui/disclosure";
import { useShortened } from "@/ui/tooltip";

/** Evaluations that are listed at first. */
const MOST = 8;

interface EvaluationHistoryProps {
  evaluations: readonly Evaluation[];
  shown: string | undefined;
  onShow: (id: string) => void;
}

/** Every evaluation of the run, newest first; those that completed can be put back into the player. */
export function EvaluationHistory({ evaluations, shown, onShow }: EvaluationHistoryProps) {
  const past = evaluations.filter((evaluation) => !isUnderWay(evaluation));
  const { shown: listed, more } = useShortened(past, MOST);
  return (
    <Disclosure
      className="border-t border-line pt-2"
      summary="All evaluations"
      aside={<span className="text-xs font-normal text-ink-faint">{past.length}</span>}
    >
      <ul aria-label="All evaluations" className="mt-1 flex flex-col">
        {listed.map((evaluation) =>
          evaluation.status === "completed" ? (
            <li key={evaluation.id}>
              <button
                type="button"
                aria-pressed={evaluation.id === shown}
                onClick={() => onShow(evaluation.id)}
                className={clsx(
                  "w-full rounded-md px-2 py-1.5 text-left text-xs tabular-nums -outline-offset-2! transition-colors max-md:py-2.5",
                  evaluation.id === shown ? "bg-accent-tint" : "hover:bg-sunken",
                )}
              >
                <Completed evaluation={evaluation} />
              </button>
            </li>
          ) : (
            <li key={evaluation.id} className="px-2 py-1.5 text-xs max-md:py-2.5">
              <p className="flex items-center gap-2 font-medium text-bad-strong">
                <CircleX aria-hidden className="size-3.5" /> failed
                <When at={evaluation.created_at} />
              </p>
              <p className="mt-0.5 break-words text-ink-soft">{evaluation.cause}</p>
            </li>
          ),
        )}
      </ul>
      {more}
    </Disclosure>
  );
}

function Completed({ evaluation }: { evaluation: Evaluation }) {
  const { summary, checkpoint_step: step } = evaluation;
  const kept = whyNoVideo(evaluation) === null;
  const Icon = kept ? Film : VideoOff;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <span className="w-20 text-ink-soft">
        {step === null ? `${summary?.episodes.length ?? 0} episodes` : `Step ${brief(step)}`}
      </span>
      {summary?.episode_return && (
        <span className="w-32 font-medium">
          {decimal(summary.episode_return.mean)} ± {decimal(summary.episode_return.std)}
        </span>
      )}
      <span
        className={clsx("flex items-center gap-1.5", kept ? "text-ink-soft" : "text-ink-faint")}
      >
        <Icon aria-hidden className="size-3.5" />
        {kept ? "video" : summary?.video ? "video retired" : "no video"}
      </span>
      <When at={evaluation.created_at} />
    </span>
  );
}

function When({ at }: { at: string }) {
  const now = useNow("minute");
  return (
    <time dateTime={at} title={moment(at)} className="ml-auto font-normal text-ink-faint">
      {age(at, now)}
    </time>
  );
}

interface EpisodeListProps {
  episodes: readonly EvaluatedEpisode[];
  /** null if there is no video. */
  playing: { controller: PlaybackController; chapters: readonly Chapter[] } | null;
}

/** Episodes that are listed at first. */
const EPISODES_AT_FIRST = 10;

const columns = "grid w-full grid-cols-[1.5rem_1fr_1fr_5rem] gap-2 px-2";

export function EpisodeList({ episodes, playing }: EpisodeListProps) {
  const { shown, more } = useShortened(episodes, EPISODES_AT_FIRST);
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
