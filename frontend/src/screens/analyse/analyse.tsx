"use client";

import { useQuery } from "@tanstack/react-query";
import { analyticsSchemaQuery } from "@/api/analytics";
import { isFiltered, NO_FILTER } from "@/api/run-filter";
import type { AnalyticsSchema } from "@/api/types";
import { useQueryString } from "@/lib/query-string";
import { FilterButtons, SearchBox } from "@/screens/shared/run-filters";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { Select } from "@/ui/select";
import {
  type AddressPart,
  type AnalyseAddress,
  changeAddress,
  questionOf,
  readAddress,
  type View,
} from "./address";
import { columnName, groupedColumns } from "./columns";
import { GroupCurves, GroupList } from "./group-list";
import { PivotTable } from "./pivot-table";
import { Scatter } from "./scatter";
import { SqlPanel } from "./sql-panel";

const VIEW_NAMES: Record<View, string> = {
  groups: "Groups",
  curves: "Curves",
  scatter: "Scatter",
  pivot: "Pivot",
  sql: "SQL",
};

/** Questions over all runs. */
export function Analyse() {
  const [query, changeQuery] = useQueryString();
  const address = readAddress(query);
  const change = (part: AddressPart) => changeQuery((now) => changeAddress(now, part));
  const { data: schema, error, refetch, isFetching } = useQuery(analyticsSchemaQuery);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented
          legend="View"
          options={Object.entries(VIEW_NAMES).map(([value, label]) => ({
            value: value as View,
            label,
          }))}
          value={address.view}
          onChange={(view) => change({ view })}
        />
        <ShareButton />
      </div>
      {error && !schema ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !schema ? (
        <AnalyseSkeleton />
      ) : address.view === "sql" ? (
        <SqlPanel sql={address.sql} schema={schema} onRun={(sql) => change({ sql })} />
      ) : (
        <>
          <Controls {...{ address, schema, change }} />
          <Picture
            {...{ address, schema }}
            onEnvironment={(envId) => change({ filter: { env_id: [envId] } })}
          />
        </>
      )}
    </div>
  );
}

interface PartProps {
  address: AnalyseAddress;
  schema: AnalyticsSchema;
}

interface ControlsProps extends PartProps {
  change: (part: AddressPart) => void;
}

function Controls({ address, schema, change }: ControlsProps) {
  const { filter, view } = address;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox text={filter.text} onChange={(text) => change({ filter: { text } })} />
        <FilterButtons filter={filter} onChange={(filter) => change({ filter })} />
        {isFiltered(filter) && (
          <Button variant="quiet" onClick={() => change({ filter: NO_FILTER })}>
            Clear
          </Button>
        )}
      </div>
      <div className="flex flex-wrap gap-3">
        <ColumnSelect
          label={view === "curves" ? "Best first by" : "Measure"}
          value={address.measure}
          names={schema.measures}
          onChange={(measure) => change({ measure })}
        />
        <ColumnSelect
          label="Group by"
          value={address.by}
          names={schema.settings}
          onChange={(by) => change({ by })}
        />
        {view === "pivot" && (
          <ColumnSelect
            label="Across"
            value={address.across}
            names={schema.settings}
            onChange={(across) => change({ across })}
          />
        )}
        {view === "scatter" && (
          <ColumnSelect
            label="Along"
            value={alongOf({ address, schema })}
            names={schema.measures}
            onChange={(x) => change({ x })}
          />
        )}
      </div>
    </div>
  );
}

interface PictureProps extends PartProps {
  onEnvironment: (envId: string) => void;
}

function Picture({ address, schema, onEnvironment }: PictureProps) {
  const { by, across } = address;
  switch (address.view) {
    case "curves":
      return <GroupCurves question={questionOf(address, [by])} {...{ onEnvironment }} />;
    case "scatter":
      return (
        <Scatter
          question={questionOf(address, [by])}
          x={alongOf({ address, schema })}
          {...{ onEnvironment }}
        />
      );
    case "pivot":
      return (
        <PivotTable
          question={questionOf(address, by === across ? [by] : [by, across])}
          {...{ onEnvironment }}
        />
      );
    default:
      return <GroupList question={questionOf(address, [by])} {...{ onEnvironment }} />;
  }
}

/** The learning rate unless another was chosen, where any run has one. */
function alongOf({ address, schema }: PartProps): string {
  const usual = schema.measures.includes("hp_learning_rate")
    ? "hp_learning_rate"
    : "total_timesteps";
  return address.x ?? usual;
}

/** The address is the saved view. */
function ShareButton() {
  const address = typeof window === "undefined" ? "" : window.location.href;
  return <CopyButton text={address} label="Copy link to this view" />;
}

export function AnalyseSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4">
      <Skeleton className="h-20" />
      <Skeleton className="h-80" />
    </div>
  );
}

interface ColumnSelectProps {
  label: string;
  value: string;
  names: readonly string[];
  onChange: (name: string) => void;
}

/** Selects a column of runs. One from the address that there is not is listed too, so that it can be changed. */
function ColumnSelect({ label, value, names, onChange }: ColumnSelectProps) {
  const known = names.includes(value) ? names : [value, ...names];
  return (
    <Field label={label} className="w-[calc(50%-0.375rem)] sm:w-52">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {groupedColumns(known).map(([group, ours]) => (
            <optgroup key={group} label={group}>
              {ours.map((name) => (
                <option key={name} value={name}>
                  {columnName(name).label}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </Field>
  );
}
