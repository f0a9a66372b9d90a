import { type ComponentProps, useId } from "react";
import { PRUNERS, SAMPLERS } from "@/api/sweep-text";
import type { Hyperparameter } from "@/api/types";
import { plural } from "@/lib/number";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { separatorOf } from "./advanced-draft";
import { POINTERS, problemAt, type Problems } from "./problems";
import { conditionsOf, conditionText, ownRow, type SpaceRow, type SweepDraft } from "./sweep-draft";

interface SweepFieldsProps {
  sweep: SweepDraft;
  fields: ReadonlyMap<string, Hyperparameter>;
  problems: Problems;
  onChange: (changes: Partial<SweepDraft>) => void;
}

/** The settings of a search, and its search space. */
export function SweepFields({ sweep, fields, problems, onChange }: SweepFieldsProps) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Trials"
          error={problemAt(problems, POINTERS.trials)}
          hint="Combinations to try."
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              inputMode="numeric"
              value={sweep.trials}
              onChange={(event) => onChange({ trials: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field
          label="Seeds a trial"
          error={problemAt(problems, POINTERS.seedsPerTrial)}
          hint="With one seed, a high score may be luck. Use three or more."
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              inputMode="numeric"
              value={sweep.seeds}
              onChange={(event) => onChange({ seeds: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Sampler">
          {(control) => (
            <Select
              {...control}
              value={sweep.sampler}
              onChange={(event) =>
                onChange({ sampler: event.currentTarget.value as SweepDraft["sampler"] })
              }
            >
              <Options of={SAMPLERS} />
            </Select>
          )}
        </Field>
        <Field label="Pruner" hint="Stops weak trials early, by evaluations during training.">
          {(control) => (
            <Select
              {...control}
              value={sweep.pruner}
              onChange={(event) =>
                onChange({ pruner: event.currentTarget.value as SweepDraft["pruner"] })
              }
            >
              <Options of={PRUNERS} />
            </Select>
          )}
        </Field>
      </div>
      <SpaceFields
        rows={sweep.space}
        fields={fields}
        problems={problems}
        onChange={(space) => onChange({ space })}
      />
    </>
  );
}

function Options({ of }: { of: Record<string, string> }) {
  return Object.entries(of).map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
}

interface SpaceFieldsProps {
  rows: readonly SpaceRow[];
  fields: ReadonlyMap<string, Hyperparameter>;
  problems: Problems;
  onChange: (rows: readonly SpaceRow[]) => void;
}

/** Search space: what the algorithm suggests, each to be left out or changed, and others added. */
function SpaceFields({ rows, fields, problems, onChange }: SpaceFieldsProps) {
  const left = [...fields.values()].filter(({ name }) => rows.every((row) => row.name !== name));
  const searched = rows.filter((row) => row.searched);
  const wrong = problemAt(problems, "/sweep/space") !== undefined;
  return (
    <Disclosure
      summary={`${plural(searched.length, "hyperparameter")} searched`}
      aside={
        <span className={`text-xs ${wrong ? "text-bad" : "text-ink-faint"}`}>
          {problems.get("/sweep/space") ??
            (wrong ? "one does not apply" : "as suggested, or changed")}
        </span>
      }
      className="rounded-md border border-line px-3 py-1"
    >
      <ul aria-label="Search space" className="flex flex-col divide-y divide-line">
        {rows.map((row, place) => (
          <SpaceRowFields
            key={row.name}
            row={row}
            rows={rows}
            place={place}
            fields={fields}
            problem={problemAt(problems, POINTERS.space(row.name))}
            isNeeded={searched.length === 0}
            onChange={(changes) =>
              onChange(rows.map((one, at) => (at === place ? { ...one, ...changes } : one)))
            }
          />
        ))}
      </ul>
      {left.length > 0 && (
        <Select
          className="my-2"
          aria-label="Search another hyperparameter"
          value=""
          onChange={({ currentTarget: { value } }) => {
            const schema = fields.get(value);
            if (schema) onChange([...rows, ownRow(schema)]);
          }}
        >
          <option value="">Search another…</option>
          {left.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </Disclosure>
  );
}

interface SpaceRowFieldsProps {
  row: SpaceRow;
  rows: readonly SpaceRow[];
  place: number;
  fields: ReadonlyMap<string, Hyperparameter>;
  problem: string | undefined;
  /** Whether nothing is searched yet. */
  isNeeded: boolean;
  onChange: (changes: Partial<SpaceRow>) => void;
}

/** Search space of one hyperparameter: a range, or choices, and where it applies. */
function SpaceRowFields(props: SpaceRowFieldsProps) {
  const { row, rows, place, fields, problem, isNeeded, onChange } = props;
  const note = useId();
  const wrong = { "aria-invalid": problem ? true : undefined, "aria-describedby": problem && note };
  const { name, kind, searched, when, source } = row;
  const schema = fields.get(name);
  const now = JSON.stringify(when);
  const offered = [{}, when, ...conditionsOf(rows, place, fields)].map((one) =>
    JSON.stringify(one),
  );
  const conditions = [...new Set(offered)];
  const isNumber = schema?.type === "number" || schema?.type === "integer";
  return (
    <li className="flex flex-col gap-1.5 py-2">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-2">
        <label className="flex items-center gap-2 font-mono text-xs max-md:min-h-10">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-accent"
            aria-invalid={isNeeded || undefined}
            checked={searched}
            onChange={(event) => onChange({ searched: event.currentTarget.checked })}
          />
          {name}
        </label>
        {source && <span className="text-2xs text-ink-faint max-md:pl-6">{source}</span>}
      </div>
      {searched && (
        <div className="flex flex-wrap items-center gap-2 pl-6">
          {isNumber && (
            <Select
              className="w-28"
              aria-label={`${name}: range or choices`}
              value={kind === "choice" ? "choice" : "range"}
              onChange={({ currentTarget: { value } }) =>
                onChange({
                  kind: value === "choice" ? "choice" : schema.type === "integer" ? "int" : "float",
                })
              }
            >
              <option value="range">Range</option>
              <option value="choice">Choices</option>
            </Select>
          )}
          {kind === "choice" ? (
            <Typed
              {...wrong}
              label={`${name}: choices, with “${schema ? separatorOf(schema) : ","}” between`}
              className="min-w-40 grow"
              value={row.choices}
              onChange={(choices) => onChange({ choices })}
            />
          ) : (
            <>
              <Typed
                {...wrong}
                label={`${name}: from`}
                className="w-24"
                value={row.low}
                onChange={(low) => onChange({ low })}
              />
              <span aria-hidden className="text-xs text-ink-faint">
                to
              </span>
              <Typed
                {...wrong}
                label={`${name}: to`}
                className="w-24"
                value={row.high}
                onChange={(high) => onChange({ high })}
              />
              <label className="flex items-center gap-1.5 text-xs text-ink-soft max-md:min-h-10">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  aria-label={`${name}: logarithmic`}
                  checked={row.log}
                  onChange={(event) => onChange({ log: event.currentTarget.checked })}
                />
                log
              </label>
              <Typed
                {...wrong}
                label={`${name}: step`}
                placeholder="step"
                className="w-20"
                value={row.step}
                onChange={(step) => onChange({ step })}
              />
            </>
          )}
          {conditions.length > 1 && (
            <Select
              className="max-w-60"
              aria-label={`${name}: applies`}
              value={now}
              onChange={({ currentTarget: { value } }) =>
                onChange({ when: JSON.parse(value) as SpaceRow["when"] })
              }
            >
              {conditions.map((one) => (
                <option key={one} value={one}>
                  {conditionText(JSON.parse(one) as SpaceRow["when"])}
                </option>
              ))}
            </Select>
          )}
        </div>
      )}
      {searched && problem && (
        <p id={note} className="pl-6 text-xs text-bad">
          {problem}.
        </p>
      )}
    </li>
  );
}

interface TypedProps extends Pick<ComponentProps<"input">, "aria-invalid" | "aria-describedby"> {
  label: string;
  value: string;
  placeholder?: string;
  className: string;
  onChange: (text: string) => void;
}

function Typed({ label, value, placeholder, className, onChange, ...rest }: TypedProps) {
  return (
    <span className={className}>
      <input
        {...rest}
        aria-label={label}
        title={label}
        className={controlClass}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </span>
  );
}
