import clsx from "clsx";
import { Compass, Plus, X } from "lucide-react";
import { useState } from "react";
import type { Environment, Hyperparameter, Limits } from "@/api/types";
import { ExplorationFields, explorationDraft, explorationProblems } from "@/forms/exploration";
import { RewardFields } from "@/forms/reward-plan";
import { SchemaField } from "@/forms/schema-field";
import { setting } from "@/lib/number";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { separatorOf, type TypedField } from "./advanced-draft";
import {
  type ExperimentDraft,
  explorationIn,
  fieldsOf,
  firstVariant,
  nextPlace,
  OFF,
  type Offer,
  type Place,
  placesOf,
  presetOf,
  presetsOf,
  rewardComponentsOf,
  type VariantDraft,
  variantName,
  withPossibleExploration,
  withPresetThatExists,
} from "./draft";
import { POINTERS, problemAt, type Problems, problemsBelow } from "./problems";

interface VariantFieldsProps {
  variants: readonly VariantDraft[];
  offer: Offer;
  limits: Limits;
  problems: Problems;
  onChange: (variants: readonly VariantDraft[]) => void;
  /** Fills the lines with each switch of exploration. */
  onCompareExploration: () => void;
}

/** The compared variants: one line each with an algorithm and a preset, with optional name and changes. */
export function VariantFields(props: VariantFieldsProps) {
  const { variants, offer, limits, problems, onChange, onCompareExploration } = props;
  const set = (place: number, changes: Partial<VariantDraft>) =>
    onChange(
      variants.map((one, at) =>
        at === place ? withPresetThatExists(offer, { ...one, ...changes }) : one,
      ),
    );
  const [first] = offer.algorithms;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-ink-soft">Compared</legend>
      {variants.map((variant, place) => (
        <VariantRow
          key={place}
          {...{ variant, place, offer, limits, problems }}
          onChange={(changes) => set(place, changes)}
          onRemove={
            variants.length > 1 ? () => onChange(variants.filter((_, at) => at !== place)) : null
          }
        />
      ))}
      {first && (
        <div className="flex flex-wrap gap-1">
          <Button
            variant="quiet"
            size="sm"
            icon={<Plus aria-hidden className="size-3.5" />}
            onClick={() => onChange([...variants, firstVariant(offer, first.id)])}
          >
            Another
          </Button>
          <Button
            variant="quiet"
            size="sm"
            title="Replaces the lines: each switch of exploration alone, all together, and none, for the first line, with enough seeds for a verdict"
            icon={<Compass aria-hidden className="size-3.5" />}
            onClick={onCompareExploration}
          >
            With and without exploration
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface VariantRowProps {
  variant: VariantDraft;
  place: number;
  offer: Offer;
  limits: Limits;
  problems: Problems;
  onChange: (changes: Partial<VariantDraft>) => void;
  /** null: it is the only one. */
  onRemove: (() => void) | null;
}

/** One variant: its algorithm and preset; when opened, also its name and changes. */
function VariantRow(props: VariantRowProps) {
  const { variant, place, offer, limits, problems, onChange, onRemove } = props;
  const { algo, preset, name = "", changes = [] } = variant;
  const [opened, setOpened] = useState(false);
  const misnamed = problemAt(problems, POINTERS.variantName(place));
  const own = problemsBelow(problems, POINTERS.changes(place));
  const wrong =
    misnamed !== undefined ||
    Object.keys(own).some((pointer) => /^\/(exploration|reward)\//.test(pointer)) ||
    changes.some((one) => problemAt(problems, POINTERS.change(place, one.name)));
  return (
    <div className="grid grid-cols-[1fr_1fr_auto] items-center gap-x-2">
      <Select
        aria-label={`Algorithm ${place + 1}`}
        value={algo}
        onChange={(event) => onChange(withAlgorithm(offer, variant, event.currentTarget.value))}
      >
        {offer.algorithms.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`Preset ${place + 1}`}
        value={preset}
        onChange={(event) => onChange({ preset: event.currentTarget.value })}
      >
        {presetsOf(offer, algo).map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
        <option value="">Defaults</option>
      </Select>
      <Button
        variant="quiet"
        aria-label={`Remove line ${place + 1}`}
        icon={<X aria-hidden className="size-4" />}
        disabled={onRemove === null}
        onClick={() => onRemove?.()}
      />
      <Disclosure
        className="col-span-3"
        open={opened || wrong}
        onToggle={setOpened}
        summary={
          <span
            className={clsx("text-xs", name.trim() ? "text-ink" : "font-normal text-ink-faint")}
          >
            {variantName(variant, offer)}
          </span>
        }
      >
        <div className="flex flex-col gap-2 pb-2 pl-5">
          <Field
            label={`Name of line ${place + 1}`}
            hint="Empty: named after its settings."
            error={misnamed}
          >
            {(control) => (
              <input
                {...control}
                className={controlClass}
                maxLength={limits.variant_name.maximum}
                value={name}
                onChange={(event) => onChange({ name: event.currentTarget.value })}
              />
            )}
          </Field>
          <TypedFields
            legend={`Changed in line ${place + 1}`}
            fields={fieldsOf(offer, algo)}
            typed={changes}
            several={false}
            problemOf={(field) => problemAt(problems, POINTERS.change(place, field))}
            onChange={(typed) => onChange({ changes: typed })}
          />
          <OwnExploration {...{ variant, place, offer, limits, onChange }} problems={own} />
          <OwnReward {...{ variant, place, offer, onChange }} problems={own} />
        </div>
      </Disclosure>
    </div>
  );
}

/**
 * What another algorithm keeps of a line: its hyperparameters are others, and it may explore in fewer ways. A line that
 * can no longer explore loses its name, too, which may say how it explored.
 */
function withAlgorithm(offer: Offer, variant: VariantDraft, algo: string): Partial<VariantDraft> {
  const changed = { ...variant, algo, changes: [] };
  return (
    withPossibleExploration(offer, changed) ?? { ...changed, name: "", exploration: undefined }
  );
}

interface OwnFieldsProps extends Pick<VariantRowProps, "variant" | "place" | "offer" | "onChange"> {
  /** By pointer, as in a request for one run. */
  problems: Readonly<Record<string, string>>;
}

/** Whether a variant explores as set for all, not at all, or in its own way. */
function OwnExploration(props: OwnFieldsProps & { limits: Limits }) {
  const { variant, place, offer, limits, problems, onChange } = props;
  const { exploration } = variant;
  const own = exploration === OFF ? undefined : exploration;
  return (
    <div role="group" aria-label={`Exploration of line ${place + 1}`}>
      <OwnChoice
        label={`Exploration in line ${place + 1}`}
        value={exploration}
        onChange={(choice) =>
          onChange({
            exploration:
              choice === OWN
                ? explorationDraft(presetOf(offer, variant)?.exploration, limits)
                : choice,
          })
        }
      />
      {own && (
        <div className="pt-3 pl-2.5">
          <ExplorationFields
            draft={own}
            choices={explorationIn(offer, [variant.algo])}
            problems={explorationProblems(problems)}
            onChange={(changes) => onChange({ exploration: { ...own, ...changes } })}
          />
        </div>
      )}
    </div>
  );
}

/** Whether a variant weights the reward as set for all, not at all, or in its own way. */
function OwnReward({ variant, place, offer, problems, onChange }: OwnFieldsProps) {
  const { reward } = variant;
  const components = rewardComponentsOf(offer);
  if (components.length === 0) return null;
  const own = reward === OFF ? undefined : reward;
  return (
    <div role="group" aria-label={`Reward of line ${place + 1}`}>
      <OwnChoice
        label={`Reward in line ${place + 1}`}
        value={reward}
        onChange={(choice) => onChange({ reward: choice === OWN ? {} : choice })}
      />
      {own && (
        <div className="pt-3 pl-2.5">
          <RewardFields
            {...{ components, problems }}
            draft={own}
            onChange={(changed) => onChange({ reward: changed })}
          />
        </div>
      )}
    </div>
  );
}

const OWN = "own";

interface OwnChoiceProps {
  label: string;
  /** Undefined: as for all. */
  value: object | typeof OFF | undefined;
  onChange: (choice: typeof OWN | typeof OFF | undefined) => void;
}

/** As for all variants, off, or of its own. */
function OwnChoice({ label, value, onChange }: OwnChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={typeof value === "object" ? OWN : (value ?? "")}
          onChange={({ currentTarget: { value: chosen } }) =>
            onChange(chosen === OWN || chosen === OFF ? chosen : undefined)
          }
        >
          <option value="">As for all</option>
          <option value={OFF}>Off</option>
          <option value={OWN}>Only for this line</option>
        </Select>
      )}
    </Field>
  );
}

interface PlaceFieldsProps {
  draft: ExperimentDraft;
  environments: readonly Environment[];
  problems: Problems;
  onChange: (places: readonly Place[]) => void;
}

/** The environment to train in; variants can have several. */
export function PlaceFields({ draft, environments, problems, onChange }: PlaceFieldsProps) {
  const places = placesOf(draft);
  const rest = draft.places.slice(places.length);
  const next = draft.kind === "variants" ? nextPlace(draft, environments) : null;
  return (
    <>
      {places.map((place, at) => (
        <EnvironmentFields
          key={at}
          {...{ place, at, environments, problems }}
          onChange={(changed) => onChange([...places.with(at, changed), ...rest])}
          onRemove={at === 0 ? null : () => onChange(places.toSpliced(at, 1))}
        />
      ))}
      {next && (
        <Button
          variant="quiet"
          size="sm"
          className="-mt-2 self-start"
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() => onChange([...places, next])}
        >
          Another environment
        </Button>
      )}
      {places.length > 1 && (
        <p className="-mt-2 text-xs text-ink-faint">
          Each variant trains in every environment. Variants are compared by normalised scores.
        </p>
      )}
    </>
  );
}

interface EnvironmentFieldsProps {
  place: Place;
  /** Which of the places it is, from 0. */
  at: number;
  environments: readonly Environment[];
  problems: Problems;
  onChange: (place: Place) => void;
  /** null: it cannot be removed. */
  onRemove: (() => void) | null;
}

/** An environment in which all variants train, and its options. */
function EnvironmentFields(props: EnvironmentFieldsProps) {
  const { place, at, environments, problems, onChange, onRemove } = props;
  const { env, options } = place;
  const fields = environments.find(({ id }) => id === env)?.options ?? [];
  const change = (name: string, text: string | null) => {
    const others = Object.entries(options).filter(([other]) => other !== name);
    onChange({
      env,
      options: Object.fromEntries(text === null ? others : [...others, [name, text]]),
    });
  };
  return (
    <>
      <div className="flex items-end gap-2">
        <Field
          label={at === 0 ? "Environment" : `Environment ${at + 1}`}
          className="grow"
          error={problems.get(POINTERS.place(at))}
        >
          {(control) => (
            <Select
              {...control}
              value={env}
              onChange={({ currentTarget: { value } }) => onChange({ env: value, options: {} })}
            >
              {environments.map(({ id, name, available }) => (
                <option key={id} value={id} disabled={!available}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {onRemove && (
          <Button
            variant="quiet"
            aria-label={`Remove environment ${at + 1}`}
            icon={<X aria-hidden className="size-4" />}
            onClick={onRemove}
          />
        )}
      </div>
      {fields.length > 0 && (
        <div className="grid gap-x-4 gap-y-3 pl-2.5 sm:grid-cols-2">
          {fields.map((schema) => (
            <SchemaField
              key={schema.name}
              schema={schema}
              typed={options[schema.name]}
              own={schema.default}
              owner="default"
              error={problemAt(problems, POINTERS.option(schema.name, at))}
              onChange={(text) => change(schema.name, text)}
            />
          ))}
        </div>
      )}
    </>
  );
}

interface TypedFieldsProps {
  legend: string;
  /** What can be chosen, by name. */
  fields: ReadonlyMap<string, Hyperparameter>;
  typed: readonly TypedField[];
  /** Whether several values are typed for each. */
  several: boolean;
  problemOf: (name: string) => string | undefined;
  onChange: (typed: readonly TypedField[]) => void;
}

/** Hyperparameters with their typed values, and a list to add another one. */
export function TypedFields(props: TypedFieldsProps) {
  const { legend, fields, typed, several, problemOf, onChange } = props;
  const left = [...fields.values()].filter(({ name }) => typed.every((one) => one.name !== name));
  const set = (name: string, text: string) =>
    onChange(typed.map((one) => (one.name === name ? { name, text } : one)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-ink-soft">{legend}</legend>
      {typed.map(({ name, text }) => {
        const schema = fields.get(name);
        return (
          <div key={name} className="flex items-start gap-2">
            <Field
              mono
              label={name}
              className="grow"
              hint={
                schema && several ? `Separate values with “${separatorOf(schema)}”.` : undefined
              }
              error={problemOf(name)}
            >
              {(control) => (
                <input
                  {...control}
                  className={controlClass}
                  autoComplete="off"
                  spellCheck={false}
                  value={text}
                  onChange={(event) => set(name, event.currentTarget.value)}
                />
              )}
            </Field>
            <Button
              variant="quiet"
              className="mt-5"
              aria-label={`Leave out ${name}`}
              icon={<X aria-hidden className="size-4" />}
              onClick={() => onChange(typed.filter((one) => one.name !== name))}
            />
          </div>
        );
      })}
      {left.length > 0 && (
        <Select
          className="self-start"
          aria-label={`${legend}: add a hyperparameter`}
          aria-required={several && typed.length === 0 ? true : undefined}
          value=""
          onChange={({ currentTarget: { value } }) => {
            const schema = fields.get(value);
            if (schema) onChange([...typed, { name: value, text: setting(schema.default) }]);
          }}
        >
          <option value="">Add a hyperparameter…</option>
          {left.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </fieldset>
  );
}
