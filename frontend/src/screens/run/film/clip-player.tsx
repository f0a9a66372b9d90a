"use client";

import { LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect, useMemo } from "react";
import { apiLink } from "@/api/http";
import type { Clip } from "@/api/types";
import { count } from "@/lib/number";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { OtherFuture, useOtherFutures } from "@/player/futures/other-futures";
import { stepAt } from "@/player/futures/prepare";
import {
  frameAt,
  type PlaybackController,
  usePlaybackState,
} from "@/player/video/playback-controller";
import {
  Player,
  type Point,
  TROUBLE_TEXT,
  useVideoTrouble,
  VideoTrack,
} from "@/player/video/player";
import { Button } from "@/ui/button";

interface ClipPlayerProps {
  clip: Clip | undefined;
  controller: PlaybackController;
  label: string;
  /** Which policy is seen, for the small window. */
  caption: string;
  /** The environment's picture, shown until there is a clip. */
  stillUrl: string | null;
  /** A small picture of the chosen policy, shown while its clip is made; null: there is none. */
  picture?: string | null;
  /** What is being created instead of the clip; null: nothing. */
  making: string | null;
  /** What went wrong; null: nothing did. */
  failure: ReactNode | null;
  /** Ask for it again. */
  onRetry: () => void;
}

/** A clip, and in its place the future after another action at one of its steps. */
export function ClipPlayer(props: ClipPlayerProps) {
  const { clip, controller } = props;
  const futures = useOtherFutures(clip?.id ?? "");
  const { video, video_url: url, episodes = [], steps } = clip ?? {};
  const askHere = (point: Point) => {
    controller.pause();
    const at = stepAt(episodes, frameAt(controller.time.get(), video?.fps ?? 0));
    if (at) futures.ask(at, point);
  };
  return (
    <OtherFuture
      source={{ run_id: clip?.run_id ?? "", clip_id: clip?.id ?? "" }}
      futures={futures}
      recorded={video && url ? { url, fps: video.fps, episodes } : null}
    >
      <RecordedClip {...props} onOther={steps ? askHere : undefined} />
    </OtherFuture>
  );
}

/** A clip, which plays as soon as it is ready. */
function RecordedClip({
  clip,
  controller,
  label,
  caption,
  stillUrl,
  picture = null,
  making,
  failure,
  onRetry,
  onOther,
}: ClipPlayerProps & { onOther: ((point: Point) => void) | undefined }) {
  const { playing } = usePlaybackState(controller);
  const corner = useCornerWindow(playing);
  const { video, video_url: url, episodes } = clip ?? {};
  const chapters = useMemo(() => {
    if (!video || !episodes || episodes.length < 2) return [];
    return episodes.map(({ step, first_frame }) => ({
      label: `After ${count(step)} steps`,
      start: first_frame / video.fps,
    }));
  }, [video, episodes]);
  const isMaking = making !== null;
  // A clip whose file is gone has made room for newer ones, and is made again.
  const played = useVideoTrouble(url ?? null, onRetry);
  const unloaded = played.trouble === "failed" && !isMaking ? TROUBLE_TEXT.failed : null;
  // External system: the video. It begins from its start, and stands still while another one is made: to play it takes
  // as much time of the processor as to make that one.
  useEffect(() => {
    if (isMaking) return controller.pause();
    if (!url) return;
    controller.seek(0);
    controller.play();
  }, [controller, url, isMaking]);
  return (
    <Player {...{ label, controller, chapters, onOther }}>
      <Stage label="Moment" caption={caption} corner={corner} stillUrl={url ? null : stillUrl}>
        {video && url && played.trouble === null && (
          <VideoTrack
            key={url}
            controller={controller}
            duration={video.duration}
            fps={video.fps}
            src={apiLink(url)}
            aria-label={`Video of ${label}`}
            className="absolute inset-0 size-full object-contain"
            onError={played.onError}
          />
        )}
        {isMaking && picture && (
          // The export has no image service, and the picture is small already.
          // eslint-disable-next-line @next/next/no-img-element
          <img
            src={apiLink(picture)}
            alt=""
            decoding="sync"
            className="absolute inset-0 size-full bg-sunken object-contain"
          />
        )}
        {(failure ?? unloaded) && (
          <StageNote alert>
            <div className="max-w-80">{failure ?? unloaded}</div>
            <Button size="sm" needsService onClick={failure ? onRetry : played.retry}>
              Try again
            </Button>
          </StageNote>
        )}
        {making && !failure && (
          <p
            role="status"
            className="absolute inset-x-0 bottom-0 flex items-center justify-center gap-2 bg-raised/90 px-3 py-2 text-xs text-ink-soft"
          >
            <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
            {making}
          </p>
        )}
      </Stage>
    </Player>
  );
}
