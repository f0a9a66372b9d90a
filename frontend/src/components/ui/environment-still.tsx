import clsx from "clsx";
import { apiLink, type Environment } from "@/lib/api";

interface EnvironmentStillProps {
  /** Undefined while it is not known yet. */
  environment: Pick<Environment, "still_url"> | undefined;
  className?: string;
}

/** A small picture of an environment, beside its name; an empty frame where there is none. */
export function EnvironmentStill({ environment, className }: EnvironmentStillProps) {
  const frame = clsx("shrink-0 rounded-md border border-line bg-sunken object-cover", className);
  if (!environment?.still_url) return <span aria-hidden className={frame} />;
  return (
    // The export has no image service, and the picture is small already.
    // eslint-disable-next-line @next/next/no-img-element
    <img
      src={apiLink(environment.still_url)}
      alt=""
      loading="lazy"
      decoding="async"
      className={frame}
    />
  );
}
