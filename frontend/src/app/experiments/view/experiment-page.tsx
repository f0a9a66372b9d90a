"use client";

import { useQuery } from "@tanstack/react-query";
import { ExperimentView } from "@/features/experiment-results";
import { SearchView } from "@/features/experiment-search";
import { ExperimentHeader, ExperimentTrials } from "@/features/experiments";
import { experimentQuery } from "@/lib/api";
import { useQueryString } from "@/lib/url";

/** The experiment that the address names: its trials, what a search has found, and what can be said. */
export function ExperimentPage() {
  const [query] = useQueryString();
  const id = query.get("id") ?? "";
  const { data } = useQuery({ ...experimentQuery(id), enabled: id !== "" });
  return (
    <>
      <ExperimentHeader id={id} />
      <div className="flex flex-col gap-4">
        {id && <ExperimentTrials id={id} />}
        {id && <SearchView id={id} />}
        <ExperimentView id={id} folded={data?.searches ?? false} />
      </div>
    </>
  );
}
