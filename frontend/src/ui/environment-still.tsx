"use client";

import clsx from "clsx";
import { useState } from "react";
import { apiLink } from "@/api/http";

interface EnvironmentStillProps {
  /** `still_url` of the environment; null or undefined if it has none or is not loaded yet. */
  url: string | null | undefined;
  className?: string;
}

/** A small picture of an environment, or an empty frame of the same size without `url` or if it does not load. */
export function EnvironmentStill({ url, className }: EnvironmentStillProps) {
  const frame = clsx("shrink-0 rounded-sm border border-line bg-sunken object-cover", className);
  const [failed, setFailed] = useState<string | null>(null);
  if (!url || failed === url) return <span aria-hidden className={frame} />;
  return (
    // The static export has no image optimisation, and the picture is small already.
    // eslint-disable-next-line @next/next/no-img-element
    <img
      src={apiLink(url)}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setFailed(url)}
      className={frame}
    />
  );
}
