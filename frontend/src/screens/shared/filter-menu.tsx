"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { algorithmsQuery, environmentsQuery, HUMAN } from "@/api/choices";
import { type Chosen, RUN_STATUSES } from "@/api/run-filter";
import { tagsQuery } from "@/api/runs";
import type { RunStatus } from "@/api/types";
import { count } from "@/lib/number";
import { Button } from "@/ui/button";
import { type ComboboxOption, OptionList } from "@/ui/combobox-options";
import { Popover } from "@/ui/popover";

const MEANING: Record<RunStatus, string> = {
  created: "Not started yet",
  queued: "Waiting for a free slot",
  starting: "Starting its worker",
  running: "Training now",
  pausing: "Taking a snapshot",
  paused: "Paused; resumes exactly",
  stopping: "Saving its policy",
  completed: "Trained for all of its steps",
  stopped: "Ended early, with its policy saved",
  failed: "Ended with an error",
  interrupted: "Its worker disappeared",
};

interface FilterMenuProps {
  name: Chosen;
  label: string;
  trigger: ReactNode;
  values: readonly string[];
  onChange: (values: string[]) => void;
}

/** Opens when it is mounted, since it is loaded only when its button is pressed. */
export default function FilterMenu({ name, label, trigger, values, onChange }: FilterMenuProps) {
  const [open, setOpen] = useState(true);
  const { options, loading } = useOptions(name);
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter((v) => v !== value) : [...values, value]);
  // A value from the address that is not an option is listed too, so that it can be removed.
  const missing = values.filter((value) => !options.some((option) => option.value === value));
  return (
    <Popover
      label={`Filter by ${label.toLowerCase()}`}
      trigger={trigger}
      open={open}
      onOpenChange={setOpen}
      className="w-72"
    >
      <OptionList
        label={label}
        options={[...options, ...missing.map((value) => ({ value, label: value }))]}
        chosen={(value) => values.includes(value)}
        onChoose={toggle}
        loading={loading}
        none={name === "tag" ? "No run has a tag yet" : "Nothing found"}
        footer={
          values.length > 0 && (
            <div className="border-t border-line p-1">
              <Button size="sm" variant="quiet" className="w-full" onClick={() => onChange([])}>
                Clear
              </Button>
            </div>
          )
        }
      />
    </Popover>
  );
}

function useOptions(name: Chosen): { options: ComboboxOption[]; loading: boolean } {
  const algorithms = useQuery({ ...algorithmsQuery, enabled: name === "algo" });
  const environments = useQuery({ ...environmentsQuery, enabled: name === "env_id" });
  const tags = useQuery({ ...tagsQuery, enabled: name === "tag" });
  switch (name) {
    case "status":
      return {
        loading: false,
        options: RUN_STATUSES.map((value) => ({ value, label: value, detail: MEANING[value] })),
      };
    case "algo":
      return {
        loading: algorithms.isPending,
        options: [...(algorithms.data ?? []), HUMAN].map(({ id, name: label, title }) => ({
          value: id,
          label,
          detail: title,
          keywords: [title],
        })),
      };
    case "env_id":
      return {
        loading: environments.isPending,
        options: (environments.data ?? []).map(({ id, family_title }) => ({
          value: id,
          label: id,
          group: family_title,
        })),
      };
    case "tag":
      return {
        loading: tags.isPending,
        options: (tags.data?.tags ?? []).map(({ name: value, runs }) => ({
          value,
          label: value,
          aside: <span className="text-xs text-ink-faint tabular-nums">{count(runs)}</span>,
        })),
      };
  }
}
