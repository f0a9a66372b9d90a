import { FlaskConical } from "lucide-react";
import Link from "next/link";
import type { RunDetail } from "@/api/types";
import { routes } from "@/lib/routes";

/** Leads from a run to the experiment that it is a trial of. */
export function TrialOf({ run: { config } }: { run: RunDetail }) {
  const place = config?.experiment;
  if (!place) return null;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <FlaskConical aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      <span>
        trial of{" "}
        <Link
          href={routes.experiment(place.id)}
          title={place.id}
          className="rounded-sm font-medium text-accent hover:underline"
        >
          an experiment
        </Link>
      </span>
    </span>
  );
}
