"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { analyticsSchemaQuery, runGroupsQuery } from "@/api/analytics";
import { isFiltered, NO_FILTER, writeListFilter } from "@/api/run-filter";
import type { AnalyticsSchema } from "@/api/types";
import { plural } from "@/lib/number";
import { useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { FilterButtons, SearchBox } from "@/screens/shared/run-filters";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
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
import { GroupCurves, GroupList, GroupScale } from "./group-list";
import { PivotTable } from "./pivot-table";
import { Scatter } from "./scatter";
import { SqlPanel } from "./sql-panel";

const VIEW_NAMES: Record<View, string> = {
  charts: "Charts",
  scatter: "Scatter",
  pivot: "Pivot",
  sql: "SQL (expert)",
};

/** Analyses all runs: charts first, and SQL for everything else. */
export function Analyse() {
  const [query, changeQuery] = useQueryString();
  const address = readAddress(query);
  const change = (part: AddressPart) => changeQuery((now) => changeAddress(now, part));
  const { data: schema, error, refetch, isFetching } = useQuery(analyticsSchemaQuery);
  const isSql = address.view === "sql";
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
      {!isSql && <Controls {...{ address, schema, change }} />}
      {error && !schema && (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      )}
      {isSql && schema && (
        <SqlPanel sql={address.sql} schema={schema} onRun={(sql) => change({ sql })} />
      )}
      {isSql && !schema && !error && <AnalyseSkeleton />}
      {/* Without a schema it is only not known what else can be chosen: the charts do not wait for it. */}
      {!isSql && !(error && !schema) && (
        <Picture
          {...{ address, schema }}
          onEnvironment={(envId) => change({ filter: { env_id: [envId] } })}
        />
      )}
    </div>
  );
}

interface PartProps {
  address: AnalyseAddress;
  /** Undefined until loaded. */
  schema: AnalyticsSchema | undefined;
}

interface ControlsProps extends PartProps {
  change: (part: AddressPart) => void;
}

function Controls({ address, schema, change }: ControlsProps) {
  const { filter, view, runs } = address;
  const measures = schema?.measures ?? [];
  const settings = schema?.settings ?? [];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <EnvironmentSelect address={address} change={change} />
        <SearchBox text={filter.text} onChange={(text) => change({ filter: { text } })} />
        <FilterButtons filter={filter} onChange={(filter) => change({ filter })} />
        {(isFiltered(filter) || runs.length > 0) && (
          <Button variant="quiet" onClick={() => change({ filter: NO_FILTER, runs: [] })}>
            Clear
          </Button>
        )}
        <span className="ml-auto flex flex-wrap items-center gap-x-4 text-xs">
          {runs.length > 0 && (
            <>
              <span className="text-ink-soft">{plural(runs.length, "selected run")} only</span>
              <HoverLink className={linkClass} href={routes.compareRuns(runs)}>
                Compare them
              </HoverLink>
            </>
          )}
          <HoverLink className={linkClass} href={listOf(filter)}>
            Show in the list
          </HoverLink>
        </span>
      </div>
      <div className="flex flex-wrap gap-3">
        <ColumnSelect
          label="Measure"
          value={address.measure}
          names={measures}
          onChange={(measure) => change({ measure })}
        />
        <ColumnSelect
          label="Group by"
          value={address.by}
          names={settings}
          onChange={(by) => change({ by })}
        />
        {view === "pivot" && (
          <ColumnSelect
            label="Across"
            value={address.across}
            names={settings}
            onChange={(across) => change({ across })}
          />
        )}
        {view === "scatter" && (
          <ColumnSelect
            label="Along"
            value={alongOf({ address, schema })}
            names={measures}
            onChange={(x) => change({ x })}
          />
        )}
      </div>
    </div>
  );
}

const linkClass = "rounded-sm text-accent hover:underline max-md:py-2";

/** The list of runs with the same filter. */
function listOf(filter: AnalyseAddress["filter"]): string {
  return `${routes.home}${writeListFilter(new URLSearchParams(), filter)}`;
}

const ALL = "";

interface EnvironmentSelectProps {
  address: AnalyseAddress;
  change: (part: AddressPart) => void;
}

/** One environment, or all of them: their returns are then normalised, and the charts say how. */
function EnvironmentSelect({ address, change }: EnvironmentSelectProps) {
  const anywhere = { ...address, filter: { ...address.filter, env_id: [] } };
  const { data } = useQuery({
    ...runGroupsQuery({ ...questionOf(anywhere, ["env_id"]), measure: "total_timesteps" }),
    placeholderData: keepPreviousData,
  });
  const chosen = address.filter.env_id;
  const found = data?.groups.flatMap(({ key: [id], runs }) => (id ? [{ id, runs }] : [])) ?? [];
  const missing = chosen.filter((id) => !found.some((one) => one.id === id));
  const value = chosen.length === 1 ? chosen[0] : ALL;
  return (
    <Select
      aria-label="Environment to analyse"
      className="w-64"
      value={value}
      onChange={({ target }) =>
        change({ filter: { env_id: target.value === ALL ? [] : [target.value] } })
      }
    >
      <option value={ALL}>
        {chosen.length > 1
          ? `${plural(chosen.length, "environment")}, normalised`
          : found.length === 1 || isByEnvironment(address)
            ? "All environments"
            : "All environments, normalised"}
      </option>
      {found.map(({ id, runs }) => (
        <option key={id} value={id}>
          {id} ({plural(runs, "run")})
        </option>
      ))}
      {missing.map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </Select>
  );
}

/** Whether no figure is of several environments, so that returns stay as they are. */
function isByEnvironment({ view, by, across }: AnalyseAddress): boolean {
  return by === "env_id" || (view === "pivot" && across === "env_id");
}

interface PictureProps extends PartProps {
  onEnvironment: (envId: string) => void;
}

function Picture({ address, schema, onEnvironment }: PictureProps) {
  const { by, across } = address;
  switch (address.view) {
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
      return (
        <div className="flex min-w-0 flex-col gap-4">
          <GroupScale question={questionOf(address, [by])} {...{ onEnvironment }} />
          <GroupCurves question={questionOf(address, [by])} />
          <GroupList question={questionOf(address, [by])} {...{ onEnvironment }} />
        </div>
      );
  }
}

/** The learning rate, if any run has one, unless another column was chosen. */
function alongOf({ address, schema }: PartProps): string {
  const hasRate = schema?.measures.includes("hp_learning_rate") ?? false;
  const usual = hasRate ? "hp_learning_rate" : "total_timesteps";
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

/** Selects a column of runs. An unknown column from the address is listed too, so that it can be changed. */
function ColumnSelect({ label, value, names, onChange }: ColumnSelectProps) {
  const known = names.includes(value) ? names : [value, ...names];
  return (
    <Field label={label} className="w-[calc(50%-0.375rem)] sm:w-52">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {groupedColumns(known).map(([group, ours]) => (
            <optgroup key={group} label={group}>
              {ours.map((name) => (
                <option key={name} value={name} title={name}>
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
