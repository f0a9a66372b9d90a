import clsx from "clsx";
import { apiLink } from "@/lib/api";

interface EnvironmentStillProps {
  /** `still_url` of the environment; missing while it is not known, or where there is none. */
  url: string | null | undefined;
  className?: string;
}

/** A small picture of an environment, beside its name; an empty frame where there is none. */
export function EnvironmentStill({ url, className }: EnvironmentStillProps) {
  const frame = clsx("shrink-0 rounded-sm border border-line bg-sunken object-cover", className);
  if (!url) return <span aria-hidden className={frame} />;
  return (
    // The export has no image service, and the picture is small already.
    // eslint-disable-next-line @next/next/no-img-element
    <img src={apiLink(url)} alt="" loading="lazy" decoding="async" className={frame} />
  );
}
