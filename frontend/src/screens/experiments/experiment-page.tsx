"use client";

import { useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { experimentQuery } from "@/api/experiments";
import { ApiError } from "@/api/http";
import { useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState } from "@/ui/notice";
import { ExperimentHeader } from "./experiment-header";
import { ExperimentTrials } from "./experiment-trials";
import { HintTestCard } from "./hint-test-card";
import { ExperimentView } from "./results/experiment-view";
import { SearchView } from "./search/search-view";
import { SpecificationCard } from "./specification-card";

/** The experiment in the address: its trials, the state of a search, and its results. */
export function ExperimentPage() {
  const [query] = useQueryString();
  const id = query.get("id") ?? "";
  const { data, error } = useQuery({ ...experimentQuery(id), enabled: id !== "" });
  const isUnknown = id === "" || (!data && error instanceof ApiError && error.status === 404);
  if (isUnknown) {
    return (
      <>
        <ExperimentHeader id={id} />
        <Card label="Experiment">
          <EmptyState
            icon={FlaskConical}
            title="This experiment does not exist"
            action={
              <HoverLink href={routes.experiments} className={buttonClass()}>
                All experiments
              </HoverLink>
            }
          >
            {id === "" ? "The address contains no experiment." : "It may have been deleted."}
          </EmptyState>
        </Card>
      </>
    );
  }
  const isDamaged = !data && error instanceof ApiError && error.status === 409;
  return (
    <>
      <ExperimentHeader id={id} />
      <div className="flex flex-col gap-4">
        {data?.hint_test && <HintTestCard outcome={data.hint_test} />}
        <ExperimentTrials id={id} />
        {!isDamaged && <SpecificationCard id={id} />}
        {!isDamaged && <SearchView id={id} />}
        {!isDamaged && <ExperimentView id={id} folded={data?.searches ?? false} />}
      </div>
    </>
  );
}
