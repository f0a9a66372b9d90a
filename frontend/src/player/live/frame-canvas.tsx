"use client";

import { useEffect, useRef } from "react";
import type { SessionClient } from "../session/session-client";

interface FrameCanvasProps {
  client: SessionClient;
  /** A picture to show instead of the live one; null to show the live one. */
  frozen: ImageBitmap | null;
  label: string;
}

/** Draws the frames of a session on a canvas as they arrive, without rendering the page again. */
export function FrameCanvas({ client, frozen, label }: FrameCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);

  // External system: the canvas.
  useEffect(() => {
    const draw = (picture: ImageBitmap | null | undefined) => {
      const element = canvas.current;
      if (!element || !picture || picture.width === 0) return;
      if (element.width !== picture.width) element.width = picture.width;
      if (element.height !== picture.height) element.height = picture.height;
      element.getContext("2d")?.drawImage(picture, 0, 0);
      element.dataset.frames = String(Number(element.dataset.frames ?? 0) + 1);
    };
    if (frozen) return draw(frozen);
    const follow = () => draw(client.moment.get()?.picture);
    follow();
    return client.moment.subscribe(follow);
  }, [client, frozen]);

  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      width={0}
      height={0}
      className="absolute inset-0 size-full object-contain"
    />
  );
}
