import { type ComponentProps, useId } from "react";
import type { Hyperparameter } from "@/api/types";
import { controlClass, Select } from "@/ui/select";
import { conditionsOf, conditionText, type SpaceRow } from "./sweep-draft";
import { separatorOf } from "./typed-values";

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

/** What is searched of one hyperparameter: a range, or choices, and where it applies. */
export function SpaceRowFields(props: SpaceRowFieldsProps) {
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
