"use client";

import { VideoOff } from "lucide-react";
import { useRef, useState } from "react";
import { Stat } from "@/components/ui/stat";
import { apiLink, type Evaluation } from "@/lib/api";
import { brief, count, decimal, duration, elapsed, moment } from "@/lib/format";
import { EpisodeList } from "./episode-list";
import { episodeAt, startOf } from "./episodes";

/** Player, figures and episodes of one completed evaluation. */
export function EvaluationResult({ evaluation }: { evaluation: Evaluation }) {
  const player = useRef<HTMLVideoElement>(null);
  const [time, setTime] = useState(0);
  const [broken, setBroken] = useState(false);
  const { summary, video_url: url } = evaluation;
  if (!summary) return null;
  const { video, episodes, episode_return, episode_length } = summary;
  const playable = url !== null && video !== null && !broken;

  const seek = (index: number) => {
    if (!player.current || !video) return;
    player.current.currentTime = startOf(episodes[index], video.fps);
    // Refused where the browser does not let a page start a video: its own controls remain.
    player.current.play().catch(() => {});
  };

  return (
    <div className="flex flex-col gap-4">
      {playable ? (
        <video
          ref={player}
          src={apiLink(url)}
          controls
          playsInline
          muted
          preload="metadata"
          aria-label={`Video of the evaluation at step ${count(evaluation.checkpoint_step)}`}
          style={{ aspectRatio: `${video.width} / ${video.height}` }}
          className="w-full rounded-md border border-line bg-sunken"
          onError={() => setBroken(true)}
          onTimeUpdate={(event) => setTime(event.currentTarget.currentTime)}
        />
      ) : (
        <p className="flex items-center justify-center gap-2 rounded-md border border-dashed border-line-strong py-8 text-sm text-ink-soft">
          <VideoOff aria-hidden className="size-4" />
          {broken
            ? "This video is not kept any more"
            : "Video retired: only the newest ones are kept"}
        </p>
      )}
      <dl className="grid grid-cols-3 gap-x-4 gap-y-3">
        <Stat label="Mean return" note={`± ${decimal(episode_return.std)}`}>
          {decimal(episode_return.mean)}
        </Stat>
        <Stat label="Mean length" note={`± ${decimal(episode_length.std)}`}>
          {decimal(episode_length.mean)}
        </Stat>
        <Stat label="Checkpoint" note="step">
          {brief(evaluation.checkpoint_step)}
        </Stat>
        <Stat label="Terminated">{count(summary.terminated)}</Stat>
        <Stat label="Truncated">{count(summary.truncated)}</Stat>
        <Stat label="Took">{duration(elapsed(evaluation, 0) ?? 0)}</Stat>
      </dl>
      <EpisodeList
        episodes={episodes}
        current={playable ? episodeAt(episodes, time, video.fps) : null}
        onSeek={playable ? seek : null}
      />
      <p className="text-xs text-ink-faint">
        {moment(evaluation.created_at)} ·{" "}
        {evaluation.deterministic ? "deterministic" : "stochastic"} actions · seed {evaluation.seed}
      </p>
    </div>
  );
}
