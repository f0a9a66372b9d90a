"use client";

import { useQuery } from "@tanstack/react-query";
import { GitCompareArrows } from "lucide-react";
import Link from "next/link";
import { runSearchQuery } from "@/api/runs";
import { routes } from "@/lib/routes";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { suggest } from "./suggest";

interface SuggestionsProps {
  chosen: readonly string[];
  onChoose: (ids: string[]) => void;
}

const LOOKED_AT = 20;

/** Shown with fewer than two runs: what a comparison shows, and one to begin with. */
export function Suggestions({ chosen, onChoose }: SuggestionsProps) {
  const { data, error, refetch, isFetching } = useQuery(runSearchQuery("", LOOKED_AT));
  if (error && !data) {
    return (
      <Card label="Compare">
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      </Card>
    );
  }
  if (!data) return <Skeleton className="h-72" />;
  const pair = suggest(data.runs, chosen);
  return (
    <Card label="Compare" bodyClass="">
      <EmptyState
        icon={GitCompareArrows}
        title={
          chosen.length === 0 ? "Choose two or more runs" : "Choose another run to compare with"
        }
        action={
          pair ? (
            <Button
              className="h-auto! max-w-full min-w-0 py-2 whitespace-normal!"
              onClick={() => onChoose(pair.map(({ id }) => id))}
            >
              <span className="min-w-0 wrap-anywhere">
                Compare {pair.map(({ name }) => name).join(" and ")}
              </span>
            </Button>
          ) : (
            <Link href={routes.home} className={buttonClass("primary")}>
              {data.total === 0 ? "Train a first run" : "Train another run"}
            </Link>
          )
        }
      >
        Their reward curves over each other, the best average, steps and seconds to a threshold, the
        settings that differ, and their policies side by side on video. All of it in an address you
        can share.
      </EmptyState>
    </Card>
  );
}
