"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { GitCompareArrows } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useAlgorithmName } from "@/api/choices";
import { runSearchQuery } from "@/api/runs";
import type { Run } from "@/api/types";
import { age } from "@/lib/format-time";
import { routes } from "@/lib/routes";
import { useNow } from "@/lib/time";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { OptionList } from "@/ui/combobox-options";
import { Popover } from "@/ui/popover";

const FOUND = 20;

/** Selects another run and opens the comparison of both. */
export function CompareWith({ run }: { run: Run }) {
  return (
    <Popover
      label="Compare with"
      align="end"
      className="w-96"
      trigger={
        <Button
          icon={<GitCompareArrows aria-hidden className="size-3.5" />}
          className="max-sm:px-2.5!"
        >
          <span className="max-sm:sr-only">Compare with…</span>
        </Button>
      }
    >
      <Others run={run} />
    </Popover>
  );
}

function Others({ run }: { run: Run }) {
  const router = useRouter();
  const now = useNow("minute");
  const algorithmName = useAlgorithmName();
  const [text, setText] = useState("");
  const { data, isFetching, error } = useQuery({
    ...runSearchQuery(text, FOUND),
    placeholderData: keepPreviousData,
  });
  const options = (data?.runs ?? [])
    .filter(({ id }) => id !== run.id)
    // Runs on the same environment come first.
    .toSorted((a, b) => Number(b.env_id === run.env_id) - Number(a.env_id === run.env_id))
    .map((other) => ({
      value: other.id,
      label: other.name,
      detail: `${algorithmName(other.algo)} · ${other.env_id} · ${age(other.created_at, now)}`,
      aside: <StatusBadge status={other.status} />,
    }));
  return (
    <OptionList
      label="Runs"
      placeholder="Search runs"
      options={options}
      chosen={() => false}
      onChoose={(other) => router.push(routes.compareRuns([run.id, other]))}
      onSearch={setText}
      loading={isFetching}
      none={error ? "The runs could not be searched" : "No other run fits"}
    />
  );
}
