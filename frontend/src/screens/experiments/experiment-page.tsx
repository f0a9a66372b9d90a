"use client";

import { useQuery } from "@tanstack/react-query";
import { experimentQuery } from "@/api/experiments";
import { ApiError } from "@/api/http";
import { useQueryString } from "@/lib/query-string";
import { ExperimentHeader } from "./experiment-header";
import { ExperimentTrials } from "./experiment-trials";
import { ExperimentView } from "./results/experiment-view";
import { SearchView } from "./search/search-view";
import { SpecificationCard } from "./specification-card";

/** The experiment that the address names: its trials, what a search has found, and what can be said. */
export function ExperimentPage() {
  const [query] = useQueryString();
  const id = query.get("id") ?? "";
  const { data, error } = useQuery({ ...experimentQuery(id), enabled: id !== "" });
  const isDamaged = !data && error instanceof ApiError && error.status === 409;
  return (
    <>
      <ExperimentHeader id={id} />
      <div className="flex flex-col gap-4">
        {id && <ExperimentTrials id={id} />}
        {id && !isDamaged && <SpecificationCard id={id} />}
        {id && !isDamaged && <SearchView id={id} />}
        {!isDamaged && <ExperimentView id={id} folded={data?.searches ?? false} />}
      </div>
    </>
  );
}
