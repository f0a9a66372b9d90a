import clsx from "clsx";
import Link from "next/link";
import { type ReactNode, useId } from "react";
import type { Algorithm, Environment } from "@/api/types";
import { compact } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Combobox } from "@/ui/combobox";
import type { ComboboxOption } from "@/ui/combobox-options";
import { EnvironmentStill } from "@/ui/environment-still";
import { Field } from "@/ui/field";
import { algorithmOf, environmentOf, type FieldsProps, spacesText, whyIncompatible } from "./draft";
import { POINTERS } from "./submit";

/** A choice among all environments by family. One whose package is missing says what to install. */
export function EnvironmentField({ choices, draft, edit, problems }: FieldsProps) {
  const environment = environmentOf(choices, draft);
  const algorithm = algorithmOf(choices, draft);
  return (
    <>
      <Field label="Environment" error={problems[POINTERS.env]}>
        {(control) => (
          <Combobox
            {...control}
            label="Environment"
            placeholder="Search environments"
            options={choices.environments.map((each) => option(each, algorithm))}
            value={draft.env}
            onChange={(value) => edit({ field: "env", value })}
          />
        )}
      </Field>
      {environment && <EnvironmentFacts environment={environment} />}
    </>
  );
}

function option(environment: Environment, algorithm: Algorithm | undefined): ComboboxOption {
  const { id, name, family_title, summary, available, install_hint } = environment;
  const unfit = available && algorithm ? whyIncompatible(algorithm, environment) : null;
  return {
    value: id,
    label: id,
    picture: <EnvironmentStill url={environment.still_url} className="h-9 w-14" />,
    group: family_title,
    keywords: [name, summary, family_title],
    disabled: !available,
    detail: available ? summary : (install_hint ?? "Its package is not installed"),
    aside: unfit && (
      <span className="shrink-0 text-2xs text-ink-faint">not for {algorithm?.name}</span>
    ),
  };
}

function EnvironmentFacts({ environment }: { environment: Environment }) {
  const { id, summary, sees, does, reward_threshold, max_episode_steps } = environment;
  const { not_exact_because: problem, warnings } = environment;
  const facts = [
    spacesText(environment),
    reward_threshold === null
      ? "no solved return defined"
      : `solved at a mean return of ${compact(reward_threshold)}`,
    max_episode_steps !== null && `${compact(max_episode_steps)} steps an episode at most`,
  ];
  return (
    <div className="-mt-1 flex gap-3 text-xs text-ink-soft">
      <EnvironmentStill url={environment.still_url} className="h-20 w-30 max-sm:h-14 max-sm:w-21" />
      <div className="flex min-w-0 flex-col gap-1">
        <p>{summary}</p>
        {(sees !== "" || does !== "") && (
          <p>
            {sees} {does}
          </p>
        )}
        <p className="text-ink-faint tabular-nums">{facts.filter(Boolean).join(" · ")}</p>
        {warnings.map((warning) => (
          <p key={warning}>
            <span className="font-medium text-warn">Odd, but it can be used:</span> {warning}
          </p>
        ))}
        {problem !== null && (
          <p>
            <span className="font-medium text-warn">Resume of this environment is not exact:</span>{" "}
            {problem}
          </p>
        )}
        <Link href={routes.playOn(id)} className="w-fit rounded-sm text-accent hover:underline">
          Play it yourself
        </Link>
      </div>
    </div>
  );
}

/** A choice among all algorithms. One that cannot train on the selected environment is disabled and says why. */
export function AlgorithmField({ choices, draft, edit, problems }: FieldsProps) {
  const name = useId();
  const environment = environmentOf(choices, draft);
  const chosen = algorithmOf(choices, draft);
  const problem = problems[POINTERS.algo];
  return (
    <fieldset
      role="radiogroup"
      tabIndex={problem ? -1 : undefined}
      aria-invalid={problem ? true : undefined}
      className="outline-none"
    >
      <legend className="mb-1 text-xs font-medium text-ink-soft">Algorithm</legend>
      <div className="grid grid-cols-2 gap-1.5 sm:grid-cols-4">
        {choices.algorithms.map((algorithm) => {
          const unfit = environment ? whyIncompatible(algorithm, environment) : null;
          return (
            <ChoiceCard
              key={algorithm.id}
              name={name}
              value={algorithm.id}
              label={algorithm.name}
              checked={algorithm.id === draft.algo}
              disabled={unfit !== null && algorithm.id !== draft.algo}
              onChoose={() => edit({ field: "algo", value: algorithm.id })}
            >
              <span className="text-2xs text-ink-faint">{unfit ?? algorithm.title}</span>
            </ChoiceCard>
          );
        })}
      </div>
      {chosen && <p className="mt-2 text-xs text-ink-soft">{chosen.summary}</p>}
      {problem && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface ChoiceCardProps {
  name: string;
  value: string;
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChoose: () => void;
  className?: string;
  children: ReactNode;
}

/** A radio button in the form of a card. Arrow keys move the choice. */
export function ChoiceCard(props: ChoiceCardProps) {
  const { name, value, label, checked, disabled, onChoose, className, children } = props;
  return (
    <label
      className={clsx(
        "relative flex min-w-0 flex-col rounded-md border px-3 py-2 transition-colors",
        "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
        checked && "border-accent bg-accent-tint ring-1 ring-accent",
        !checked &&
          !disabled &&
          "border-line-strong bg-raised hover:border-control-line hover:bg-sunken",
        disabled && "border-line bg-sunken",
        className,
      )}
    >
      <input
        type="radio"
        name={name}
        value={value}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        aria-label={label}
        aria-describedby={`${name}-${value}`}
        className="sr-only"
      />
      <span className={clsx("text-sm font-medium", disabled && "text-ink-faint")}>{label}</span>
      <span id={`${name}-${value}`} className="contents">
        {children}
      </span>
    </label>
  );
}
