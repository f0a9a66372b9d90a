"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { environmentsQuery } from "@/api/choices";
import { routes } from "@/lib/routes";
import { PageHeader } from "@/shell/page-header";
import { EnvironmentStill } from "@/ui/environment-still";
import { ErrorState } from "@/ui/notice";
import { CHOICES_GRID, ChoicesSkeleton } from "./play-skeletons";

/** What can be played, as pictures. */
export function PlayChoices() {
  const { data, error, refetch, isFetching } = useQuery(environmentsQuery);
  return (
    <>
      <PageHeader title="Play">
        Every environment can be played with the keyboard, to learn what an agent has to learn.
      </PageHeader>
      {data ? (
        <ul className={CHOICES_GRID}>
          {data
            .filter(({ available }) => available)
            .map(({ id, name, summary, still_url }) => (
              <li key={id}>
                <Link
                  href={routes.playOn(id)}
                  className="block h-full rounded-lg border border-line bg-surface p-2 transition-colors hover:border-line-strong hover:bg-raised"
                >
                  <EnvironmentStill url={still_url} className="aspect-3/2 w-full" />
                  <span className="mt-2 block text-sm font-medium">{name}</span>
                  <span className="mt-0.5 line-clamp-2 text-xs text-ink-soft">{summary}</span>
                </Link>
              </li>
            ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <ChoicesSkeleton />
      )}
    </>
  );
}
