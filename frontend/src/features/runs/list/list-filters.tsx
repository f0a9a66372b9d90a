"use client";

import { Search } from "lucide-react";
import { useState } from "react";
import { controlClass } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { type ListFilter, STATUS_GROUPS, type StatusGroup } from "@/lib/url";

interface ListFiltersProps {
  filter: ListFilter;
  onChange: (filter: ListFilter) => void;
}

const labels: Record<ListFilter["group"], string> = {
  all: "All statuses",
  active: "Active",
  finished: "Finished",
  failed: "Failed",
  created: "Not started",
};

const groups: ListFilter["group"][] = ["all", ...(Object.keys(STATUS_GROUPS) as StatusGroup[])];

export function ListFilters({ filter, onChange }: ListFiltersProps) {
  // Typed text is shown at once; the address follows it, and clearing the address clears the box.
  const [typed, setTyped] = useState(filter.text);
  const [known, setKnown] = useState(filter.text);
  if (known !== filter.text) {
    setKnown(filter.text);
    setTyped(filter.text);
  }
  return (
    <div role="search" className="flex gap-2 border-b border-line px-4 py-2.5">
      <div className="relative min-w-0 grow">
        <Search
          aria-hidden
          className="absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
        />
        <input
          type="search"
          maxLength={200}
          aria-label="Search runs"
          placeholder="Search by name or id"
          className={`${controlClass} pl-8`}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setKnown(event.target.value);
            onChange({ ...filter, text: event.target.value });
          }}
        />
      </div>
      <Select
        aria-label="Filter by status"
        className="w-34 shrink-0"
        value={filter.group}
        onChange={(event) =>
          onChange({ ...filter, group: event.target.value as ListFilter["group"] })
        }
      >
        {groups.map((group) => (
          <option key={group} value={group}>
            {labels[group]}
          </option>
        ))}
      </Select>
    </div>
  );
}
