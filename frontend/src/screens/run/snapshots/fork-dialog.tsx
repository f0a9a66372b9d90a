"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { algorithmsQuery, environmentsQuery, useLimits } from "@/api/choices";
import { ApiError, explainAction, pointerTo } from "@/api/http";
import { keys } from "@/api/keys";
import { isActive } from "@/api/runs";
import { runSinksQuery } from "@/api/sinks";
import { forkChangesQuery, forkRun } from "@/api/snapshots";
import type {
  Algorithm,
  Environment,
  ForkChanges,
  ForkRun,
  Hint,
  Hyperparameter,
  Limits,
  RunConfig,
  RunDetail,
  SnapshotInfo,
} from "@/api/types";
import { parseDecimal, parseHyperparameter, parseInteger } from "@/forms/parse";
import { SchemaField } from "@/forms/schema-field";
import { count, plural, setting, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Disclosure } from "@/ui/disclosure";
import { type ControlProps, Field } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { controlClass } from "@/ui/select";
import { usualTimesteps } from "./curve-changes";
import { called } from "./snapshot-text";

interface ForkDialogProps {
  run: RunDetail;
  /** The snapshot to fork at, or a step. */
  at: SnapshotInfo | number;
  /** A change that is filled in; then the comparison with the parent is opened, and not the page of the new run. */
  tries?: Hint["changes"][number];
  /** A cell of the map in which episodes of the fork begin; left out: they begin as those of this run. */
  cell?: ForkedCell;
  onClose: () => void;
}

/** A cell of the map in which episodes of a fork begin. */
export interface ForkedCell {
  id: number;
  name: string;
  /** Whether the archive has a state of it at the step of the fork; null: unknown. */
  isArchived: boolean | null;
}

/** Creates a new run that continues from a snapshot of this one, with other settings. */
export function ForkDialog({ run, at, tries, cell, onClose }: ForkDialogProps) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  const request = typeof at === "number" ? { step: at } : { snapshot: at.name };
  const changes = useQuery(forkChangesQuery(run.id, request));
  const place = changes.data?.at;
  const start = place ? { step: place.step, request } : null;
  const algorithm = algorithms.data?.find(({ id }) => id === run.algo);
  const failed = [algorithms, environments, changes].find(({ error }) => error !== null);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Fork at ${typeof at === "number" ? `step ${count(at)}` : called(at)}`}
      description={`${start ? beginsAt(start.step, place?.trained_again_from ?? null) : ""} This run ${isActive(run) ? "continues to train" : "stays as it is"}.`.trim()}
    >
      {failed?.error ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : !algorithm || !environments.data || !changes.data || !start ? (
        <Skeleton className="h-64" />
      ) : run.config === null ? (
        <p className="text-sm text-ink-soft">The configuration of this run cannot be read.</p>
      ) : (
        <ForkForm
          run={run}
          config={run.config}
          algorithm={algorithm}
          environment={environments.data.find(({ id }) => id === run.env_id)}
          changes={changes.data}
          start={start}
          tries={tries}
          cell={cell}
        />
      )}
    </Dialog>
  );
}

/** Where the new run begins; `again` is the step from which its parent is first trained again. */
function beginsAt(step: number, again: number | null): string {
  const begins = `A new run continues from step ${count(step)} with your changes.`;
  if (again === null) return begins;
  const from = again === 0 ? "its beginning" : `step ${count(again)}`;
  return `${begins} It first trains this run again from ${from} to there, exactly as it was.`;
}

interface ForkFormProps {
  run: RunDetail;
  config: RunConfig;
  algorithm: Algorithm;
  /** Undefined if it is not offered any more. */
  environment: Environment | undefined;
  changes: ForkChanges;
  start: ForkStart;
  tries?: Hint["changes"][number];
  cell?: ForkedCell;
}

function ForkForm({ run, config, start, tries, cell, ...known }: ForkFormProps) {
  const { algorithm, environment, changes } = known;
  const router = useRouter();
  const client = useQueryClient();
  const limits = useLimits();
  const [draft, setDraft] = useState<ForkDraft>({
    ...{ name: "", seed: "", archive: "" },
    hyperparameters: tries ? { [tries.name]: setting(tries.value) } : {},
    env_options: {},
    timesteps: String(usualTimesteps(run, start.step)),
  });
  const [alone, setAlone] = useState(false);
  const { changeable, fixed } = forkSettings(config, algorithm, environment, changes);
  const { body, problems } = forkRequest(
    algorithm,
    changeable,
    draft,
    start,
    cell,
    limits?.archive,
  );
  const fork = useMutation({
    mutationFn: (begin: boolean) =>
      forkRun(run.id, { ...body, ...(alone && { sinks: [] }), start: begin }),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: keys.runs });
      void client.invalidateQueries({ queryKey: keys.family(run.id) });
      router.push(tries ? routes.compareRuns([run.id, id]) : routes.run(id));
    },
  });
  const refused = fork.error instanceof ApiError ? fork.error.fields : [];
  const problem = (pointer: string) =>
    problems[pointer] ?? refused.find((field) => field.pointer === pointer)?.detail;
  const change = (part: Partial<ForkDraft>) => {
    fork.reset();
    setDraft((old) => ({ ...old, ...part }));
  };
  const text = (field: "name" | "seed" | "timesteps" | "archive", placeholder?: string) =>
    function Control(control: ControlProps): ReactNode {
      return (
        <input
          {...control}
          autoComplete="off"
          inputMode={field === "name" ? "text" : field === "archive" ? "decimal" : "numeric"}
          placeholder={placeholder}
          className={controlClass}
          value={draft[field]}
          onChange={({ target }) => change({ [field]: target.value })}
        />
      );
    };
  const edit = (part: Part, name: string, value: string | null) => {
    const edited = { ...draft[part] };
    if (value === null) delete edited[name];
    else edited[name] = value;
    change({ [part]: edited });
  };
  const fields = { settings: changeable, draft, problem, onChange: edit };
  const keepsReplay = "buffer_size" in config.hyperparameters;
  const changed = [body.hyperparameters, body.env_options].flatMap((part) =>
    Object.keys(part ?? {}),
  );
  const differing = changed.length + (cell ? 1 : 0);
  const busy = fork.isPending || fork.isSuccess;
  const isWrong = Object.keys(problems).length > 0;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !isWrong) fork.mutate(true);
      }}
    >
      <div className="grid gap-x-6 gap-y-3.5 sm:grid-cols-2">
        <Field label="Name" className="sm:col-span-2" error={problem("/name")}>
          {text("name", `${run.name}, forked`)}
        </Field>
        <Field
          label="Timesteps"
          hint={`Total number of steps, including the ${count(start.step)} already trained.`}
          error={problem("/total_timesteps")}
        >
          {text("timesteps")}
        </Field>
        <Field
          label="Seed"
          hint="If you change the seed, the environments start new episodes."
          error={problem("/seed")}
        >
          {text("seed", String(run.seed))}
        </Field>
      </div>
      {cell && (
        <StartCellField
          cell={cell}
          usual={config.exploration?.archive ?? null}
          error={problem("/archive") ?? problem("/start_cell")}
        >
          {(usual) => text("archive", usual)}
        </StartCellField>
      )}
      <SettingFields legend="Hyperparameters" part="hyperparameters" {...fields} />
      <SettingFields
        legend="Environment"
        note={`If you change an option, the environments start new episodes.${keepsReplay ? " The replay buffer keeps the earlier transitions." : ""}`}
        part="env_options"
        {...fields}
      />
      {fixed.length > 0 && <Fixed settings={fixed} />}
      <Sinks run={run} alone={alone} onChange={setAlone} />
      {fork.error && (
        <p role="alert" className="text-sm text-bad">
          {explainAction(fork.error)}
        </p>
      )}
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-raised px-5 py-3">
        <span className="grow text-xs text-ink-soft">
          {differing === 0 ? "Nothing changed yet" : `${plural(differing, "setting")} changed`}
        </span>
        <Button needsService busy={busy} disabled={isWrong} onClick={() => fork.mutate(false)}>
          Fork
        </Button>
        <Button type="submit" variant="primary" needsService busy={busy} disabled={isWrong}>
          Fork and start
        </Button>
      </div>
    </form>
  );
}

interface StartCellFieldProps {
  cell: ForkedCell;
  /** The probability of the parent; null: its episodes begin in no archive. */
  usual: number | null;
  error: string | undefined;
  /** The control, with what an empty field stands for. */
  children: (usual: string) => (control: ControlProps) => ReactNode;
}

/** How probably an episode of the fork begins in a cell of the map. */
function StartCellField({ cell, usual, error, children }: StartCellFieldProps) {
  const limits = useLimits();
  const probability = usual ?? limits?.archive.default;
  return (
    <Field
      label={`Probability to begin in ${cell.name}`}
      hint={`Returns of these episodes are kept apart from those of whole episodes.${whenTheyBegin(cell)}`}
      error={error}
    >
      {children(probability === undefined ? "" : setting(probability))}
    </Field>
  );
}

/** What delays episodes in the cell, as a sentence after another one; empty if they begin at once. */
function whenTheyBegin({ isArchived }: ForkedCell): string {
  if (isArchived === true) return "";
  if (isArchived === false) {
    return " The archive has no state of this cell: they begin there once training has visited it.";
  }
  return " If the archive has no state of this cell at that step, they begin there once training has visited it.";
}

interface SinksProps {
  run: RunDetail;
  /** Whether the fork is delivered nowhere. */
  alone: boolean;
  onChange: (alone: boolean) => void;
}

/** The sinks of the parent: the fork is delivered to them too, unless the user switches that off. */
function Sinks({ run, alone, onChange }: SinksProps) {
  const { data } = useQuery(runSinksQuery(run.id));
  const live = data?.sinks.filter((sink) => sink.live).map(({ label }) => label) ?? [];
  if (live.length === 0) return null;
  return (
    <label className="flex items-center gap-2 text-sm max-md:min-h-10">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={!alone}
        onChange={({ currentTarget }) => onChange(!currentTarget.checked)}
      />
      Send the fork to {live.join(", ")} as a separate run
    </label>
  );
}

function Fixed({ settings }: { settings: readonly FixedSetting[] }) {
  return (
    <Disclosure
      summary="Cannot be changed"
      aside={<span className="text-xs font-normal text-ink-faint">{settings.length}</span>}
    >
      <dl className="divide-y divide-line text-xs">
        {settings.map(({ name, value, why }) => (
          <div key={name} className="py-1.5">
            <dt className="flex justify-between gap-4 font-mono">
              <span>{name}</span>
              <span className="min-w-0 break-words text-ink-soft">{settingText(value)}</span>
            </dt>
            <dd className="mt-0.5 text-ink-soft">{why}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}

/** Parts of a run's configuration whose fields are described by a schema. */
type Part = "hyperparameters" | "env_options";

/** The typed values in the form of a fork. Hyperparameters and options without an entry were not edited. */
interface ForkDraft {
  name: string;
  /** Blank: the parent's. */
  seed: string;
  timesteps: string;
  /** Blank: the usual probability. */
  archive: string;
  hyperparameters: Readonly<Record<string, string>>;
  env_options: Readonly<Record<string, string>>;
}

/** Where a fork begins: at `step`, when the service is asked for `request`. */
interface ForkStart {
  step: number;
  request: Pick<ForkRun, "snapshot" | "step">;
}

/** Problems by JSON pointer of the field. */
type Problems = Record<string, string>;

/** A setting of the parent that has a field in the form. */
interface ChangeableSetting {
  part: Part;
  schema: Hyperparameter;
  /** The parent's settings at the step of the fork. */
  value: unknown;
}

/** A setting that cannot change at a fork. */
interface FixedSetting {
  name: string;
  value: unknown;
  why: string;
}

/** The parent's hyperparameters and options: those with a field in the form, and those that cannot change. */
function forkSettings(
  config: RunConfig,
  algorithm: Algorithm,
  environment: Environment | undefined,
  { changes, env_options, in_force }: ForkChanges,
) {
  const changeable: ChangeableSetting[] = [];
  const fixed: FixedSetting[] = [];
  const sort = (
    part: Part,
    schemas: readonly Hyperparameter[],
    offered: ForkChanges["changes"],
    anew: string,
    changed: Readonly<Record<string, unknown>> = {},
  ) => {
    const configured: Readonly<Record<string, unknown>> = config[part] ?? {};
    const values = { ...configured, ...changed };
    for (const { name, effect, why, note } of offered) {
      const schema = schemas.find((one) => one.name === name);
      // A parent of before a setting was offered has no value of it.
      const value = name in values ? values[name] : schema?.default;
      if (value === undefined) continue;
      if (effect === "refused") fixed.push({ name, value, why: why ?? "" });
      else if (schema) {
        const was =
          name in changed
            ? ` Changed while this run trained: it began with ${settingText(configured[name])}.`
            : "";
        const brings = note ? ` ${note}` : "";
        const help = `${schema.help}${effect === "anew" ? anew : ""}${brings}${was}`;
        changeable.push({ part, value, schema: { ...schema, help } });
      }
    }
  };
  const anew = " Environments begin a new episode.";
  sort("hyperparameters", algorithm.hyperparameters, changes, anew, in_force);
  sort("env_options", environment?.options ?? [], env_options, "");
  return { changeable, fixed };
}

/** The request for a fork of a run with these `settings`, and the problems that prevent it. */
function forkRequest(
  { seed: seeds, total_timesteps: lengths }: Algorithm,
  settings: readonly ChangeableSetting[],
  draft: ForkDraft,
  start: ForkStart,
  cell: ForkedCell | undefined,
  archives: Limits["archive"] | undefined,
): { body: ForkRun; problems: Problems } {
  const problems: Problems = {};
  const integer = (pointer: string, text: string, bounds: Parameters<typeof parseInteger>[1]) => {
    const parsed = parseInteger(text, bounds);
    if (parsed.ok) return parsed.value as number;
    problems[pointer] = parsed.problem;
  };
  const changed: Record<Part, Record<string, unknown>> = { hyperparameters: {}, env_options: {} };
  for (const { part, schema, value } of settings) {
    const typed = draft[part][schema.name];
    if (typed === undefined || typed === setting(value)) continue;
    const parsed = parseHyperparameter(schema, typed);
    if (parsed.ok) changed[part][schema.name] = parsed.value;
    else problems[pointerTo(part, schema.name)] = parsed.problem;
  }
  let archive: number | undefined;
  if (draft.archive.trim() !== "") {
    const { minimum, maximum } = archives ?? {};
    const parsed = parseDecimal(draft.archive, { exclusive_minimum: minimum, maximum });
    if (parsed.ok) archive = parsed.value as number;
    else problems["/archive"] = parsed.problem;
  }
  const beyond = Math.max(lengths.minimum, start.step + 1);
  const body = {
    ...start.request,
    hyperparameters: changed.hyperparameters,
    ...(Object.keys(changed.env_options).length > 0 && { env_options: changed.env_options }),
    total_timesteps: integer("/total_timesteps", draft.timesteps, { ...lengths, minimum: beyond }),
    ...(draft.seed.trim() !== "" && { seed: integer("/seed", draft.seed, seeds) }),
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
    ...(cell && { start_cell: cell.id, archive }),
  };
  return { body: body as ForkRun, problems };
}

interface SettingFieldsProps {
  legend: string;
  note?: string;
  part: Part;
  settings: readonly ChangeableSetting[];
  draft: ForkDraft;
  problem: (pointer: string) => string | undefined;
  /** `null` undoes the edit. */
  onChange: (part: Part, name: string, value: string | null) => void;
}

/** The fields of one part of the parent's configuration that can change at a fork. Renders nothing without any. */
function SettingFields({ legend, note, part, ...form }: SettingFieldsProps) {
  const own = form.settings.filter((one) => one.part === part);
  if (own.length === 0) return null;
  return (
    <fieldset className="min-w-0 border-t border-line pt-3.5">
      <legend className="float-left mb-3 w-full text-sm font-medium">
        {legend}
        {note && <span className="mt-0.5 block text-xs font-normal text-ink-soft">{note}</span>}
      </legend>
      <div className="clear-both grid gap-x-6 gap-y-3.5 sm:grid-cols-2">
        {own.map(({ schema, value }) => (
          <SchemaField
            key={schema.name}
            schema={schema}
            typed={form.draft[part][schema.name]}
            own={value}
            owner="parent"
            error={form.problem(pointerTo(part, schema.name))}
            onChange={(typed) => form.onChange(part, schema.name, typed)}
          />
        ))}
      </div>
    </fieldset>
  );
}
