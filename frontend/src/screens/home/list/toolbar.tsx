"use client";

import { ArrowDown, ArrowUp, Columns3 } from "lucide-react";
import { type ComponentProps, lazy, Suspense, useState } from "react";
import { useMetricRegistry } from "@/api/metric-registry";
import {
  beginsDescending,
  isFiltered,
  isStandardSort,
  type ListFilter,
  NO_FILTER,
  type SORTS,
} from "@/api/run-filter";
import { withRetry } from "@/api/with-retry";
import { FilterButtons, SearchBox } from "@/screens/shared/run-filters";
import { Button } from "@/ui/button";
import { Select } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { extraTitle } from "./column-choice";

const ORDERS: Record<keyof typeof SORTS, string> = {
  created_at: "Age",
  name: "Name",
  algo: "Algorithm",
  env_id: "Environment",
  preset: "Preset",
  status: "Status",
  step: "Steps done",
  total_timesteps: "Steps planned",
  best_moving_average: "Best average",
  fps: "Steps per second",
};

interface ToolbarProps {
  filter: ListFilter;
  onChange: (part: Partial<ListFilter>) => void;
}

export function Toolbar({ filter, onChange }: ToolbarProps) {
  const registry = useMetricRegistry();
  const { key, descending } = filter.sort;
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox text={filter.text} onChange={(text) => onChange({ text })} />
      <div className="flex max-w-full items-center gap-2 max-md:-mx-4 max-md:scrollbar-none max-md:overflow-x-auto max-md:px-4 max-md:py-1">
        <FilterButtons filter={filter} onChange={onChange} />
        <div className="flex items-center md:hidden">
          <Select
            aria-label="Sort by"
            className="w-36"
            value={key}
            onChange={({ target: { value: next } }) =>
              onChange({ sort: { key: next, descending: beginsDescending(next) } })
            }
          >
            {!isStandardSort(key) && (
              <option value={key}>{extraTitle(key, (name) => registry.get(name).label)}</option>
            )}
            {Object.entries(ORDERS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
          <Button
            variant="quiet"
            className="w-8 px-0! max-md:w-10"
            aria-label={descending ? "Sort upwards" : "Sort downwards"}
            onClick={() => onChange({ sort: { key, descending: !descending } })}
          >
            <Arrow aria-hidden className="size-3.5" />
          </Button>
        </div>
        <Switch
          label={<span className="whitespace-nowrap">Group seeds</span>}
          className="text-xs text-ink-soft"
          checked={!filter.apart}
          onChange={(grouped) => onChange({ apart: !grouped })}
        />
        <ColumnsButton />
        {isFiltered(filter) && (
          <Button variant="quiet" onClick={() => onChange(NO_FILTER)}>
            Clear
          </Button>
        )}
      </div>
    </div>
  );
}

const loadColumns = () => import("./columns-menu");
const ColumnsMenu = lazy(withRetry(loadColumns));

/** Opens the choice of columns, whose code is loaded on hover, focus or press. A phone shows cards instead. */
function ColumnsButton() {
  const [wanted, setWanted] = useState(false);
  const face = (props: ComponentProps<typeof Button> = {}) => (
    <Button
      variant="quiet"
      className="max-md:hidden!"
      icon={<Columns3 aria-hidden className="size-3.5" />}
      {...props}
    >
      Columns
    </Button>
  );
  if (!wanted) {
    return face({
      "aria-haspopup": "dialog",
      "aria-expanded": false,
      onPointerEnter: () => void loadColumns(),
      onFocus: () => void loadColumns(),
      onClick: () => setWanted(true),
    });
  }
  return (
    <Suspense fallback={face({ "aria-busy": true })}>
      <ColumnsMenu trigger={face()} />
    </Suspense>
  );
}
