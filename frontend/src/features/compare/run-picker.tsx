"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useAlgorithmName, useLimits } from "@/api/choices";
import { runSearchQuery } from "@/api/runs";
import { age } from "@/lib/format-time";
import { useNow } from "@/lib/time";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { OptionList } from "@/ui/combobox-options";
import { Popover } from "@/ui/popover";

interface RunPickerProps {
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}

const FOUND = 30;

/** Finds runs by name, algorithm or environment, and adds or removes them. */
export function RunPicker({ chosen, onChange }: RunPickerProps) {
  const [open, setOpen] = useState(false);
  const most = useLimits()?.compared_runs.maximum;
  const full = most !== undefined && chosen.length >= most;
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return (
    <Popover
      label="Add runs"
      open={open}
      onOpenChange={setOpen}
      className="w-96"
      trigger={
        <Button
          variant={chosen.length < 2 ? "primary" : "secondary"}
          icon={<Plus aria-hidden className="size-3.5" />}
        >
          Add runs
        </Button>
      }
    >
      <Search {...{ chosen, most, full }} onChoose={toggle} />
    </Popover>
  );
}

interface SearchProps {
  chosen: readonly string[];
  /** Maximum number of runs that can be compared; undefined until it is loaded. */
  most: number | undefined;
  full: boolean;
  onChoose: (id: string) => void;
}

function Search({ chosen, most, full, onChoose }: SearchProps) {
  const [text, setText] = useState("");
  const now = useNow("minute");
  const algorithmName = useAlgorithmName();
  const { data, isFetching, error } = useQuery({
    ...runSearchQuery(text, FOUND),
    placeholderData: keepPreviousData,
  });
  const options = (data?.runs ?? []).map((run) => ({
    value: run.id,
    label: run.name,
    detail: `${algorithmName(run.algo)} · ${run.env_id} · ${age(run.created_at, now)}`,
    aside: <StatusBadge status={run.status} />,
    disabled: full && !chosen.includes(run.id),
  }));
  return (
    <OptionList
      label="Runs"
      placeholder="Search runs"
      options={options}
      chosen={(id) => chosen.includes(id)}
      onChoose={onChoose}
      onSearch={setText}
      loading={isFetching}
      none={error ? "The runs could not be searched" : "No run fits"}
      footer={
        <p className="border-t border-line px-3 py-2 text-xs text-ink-faint">
          {full
            ? `${most} runs are the most that can be compared.`
            : `${chosen.length} ${most === undefined ? "" : `of up to ${most} `}chosen`}
        </p>
      }
    />
  );
}
