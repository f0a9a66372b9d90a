"use client";

import { useQuery } from "@tanstack/react-query";
import { GitFork } from "lucide-react";
import Link from "next/link";
import { familyQuery } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { count } from "@/lib/number";
import { routes } from "@/lib/routes";

/** Names the run that this one was forked from. */
export function ForkedFrom({ run }: { run: RunDetail }) {
  const { data } = useQuery({ ...familyQuery(run.id), enabled: Boolean(run.parent) });
  if (!run.parent) return null;
  const parent = data?.members.find(({ run_id }) => run_id === run.parent?.run_id);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <GitFork aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      <span className="min-w-0 break-words">
        forked from{" "}
        {parent?.deleted ? (
          "a run that is deleted"
        ) : (
          <Link
            href={routes.run(run.parent.run_id)}
            className="rounded-sm font-medium text-accent hover:underline"
          >
            {parent?.name ?? run.parent.run_id}
          </Link>
        )}{" "}
        at step {count(run.parent.step)}
      </span>
    </span>
  );
}
