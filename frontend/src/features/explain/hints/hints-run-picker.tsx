"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAlgorithmName } from "@/api/choices";
import { runSearchQuery } from "@/api/runs";
import { StatusBadge } from "@/ui/badge";
import { Combobox } from "@/ui/combobox";

const FOUND = 20;

interface HintsRunPickerProps {
  value: string | null;
  name: string | undefined;
  onChange: (id: string) => void;
}

/** Selects the run whose hints are shown. */
export function HintsRunPicker({ value, name, onChange }: HintsRunPickerProps) {
  const [text, setText] = useState("");
  const algorithmName = useAlgorithmName();
  const { data, error, isFetching } = useQuery({
    ...runSearchQuery(text, FOUND),
    placeholderData: keepPreviousData,
  });
  return (
    <Combobox
      label="Run"
      className="sm:w-72!"
      empty="Read a run's curves…"
      placeholder="Search runs"
      value={value}
      shown={name}
      onChange={onChange}
      onSearch={setText}
      loading={isFetching}
      none={error ? "The runs could not be searched" : "No run fits"}
      options={(data?.runs ?? []).map((run) => ({
        value: run.id,
        label: run.name,
        detail: `${algorithmName(run.algo)} · ${run.env_id} · ${run.id.slice(-4)}`,
        aside: <StatusBadge status={run.status} />,
      }))}
    />
  );
}
