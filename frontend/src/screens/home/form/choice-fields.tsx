import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useId } from "react";
import { gamesQuery } from "@/api/games";
import type { Algorithm, Environment } from "@/api/types";
import { compact } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Combobox } from "@/ui/combobox";
import type { ComboboxOption } from "@/ui/combobox-options";
import { EnvironmentStill } from "@/ui/environment-still";
import { Field } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
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
      <OwnGames environments={choices.environments} chosen={draft.env} />
    </>
  );
}

/** One Game Boy game comes with the app; more are the user's. */
const hasOwnGames = (environments: readonly Environment[]) =>
  environments.filter(({ family }) => family === "gameboy").length > 1;

interface OwnGamesProps {
  environments: readonly Environment[];
  /** The selected environment. */
  chosen: string;
}

/** Links to the selected game's description, and to ROMs that are not described yet. */
function OwnGames({ environments, chosen }: OwnGamesProps) {
  const { data } = useQuery({ ...gamesQuery, enabled: hasOwnGames(environments) });
  const shown = data?.games.filter(
    ({ env_id, has_rom, is_described }) => has_rom && (env_id === chosen || !is_described),
  );
  if (!shown?.length) return null;
  return (
    <p className="-mt-1 flex flex-wrap gap-x-3 gap-y-1 text-xs">
      {shown.map(({ name, is_described }) => (
        <HoverLink
          key={name}
          href={routes.describeGame(name)}
          className="rounded-sm text-accent hover:underline"
        >
          {is_described ? "Edit this game" : `Describe the ROM ${name}`}
        </HoverLink>
      ))}
    </p>
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
      ? "has no reward threshold"
      : `solved at a mean return of ${compact(reward_threshold)}`,
    max_episode_steps !== null && `${compact(max_episode_steps)} steps per episode at most`,
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
            <span className="font-medium text-warn">Unusual, but usable:</span> {warning}
          </p>
        ))}
        {problem !== null && (
          <p>
            <span className="font-medium text-warn">Resuming is not exact here:</span> {problem}
          </p>
        )}
        <HoverLink
          href={routes.playOn(id)}
          className="w-fit rounded-sm text-accent hover:underline"
        >
          Play it yourself
        </HoverLink>
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
      <div className="flex flex-wrap gap-1.5">
        {choices.algorithms.map((algorithm) => {
          const unfit = environment ? whyIncompatible(algorithm, environment) : null;
          return (
            <AlgorithmChoice
              key={algorithm.id}
              name={name}
              algorithm={algorithm}
              unfit={unfit}
              checked={algorithm.id === draft.algo}
              onChoose={() => edit({ field: "algo", value: algorithm.id })}
            />
          );
        })}
      </div>
      {chosen && (
        <p className="mt-2 text-xs text-ink-soft">
          <span className="font-medium text-ink">{chosen.title}.</span> {chosen.summary}
        </p>
      )}
      {environment && <NotHere algorithms={choices.algorithms} environment={environment} />}
      {problem && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

/** Says which algorithms cannot train on the environment, grouped by the reason. */
function NotHere({
  algorithms,
  environment,
}: {
  algorithms: readonly Algorithm[];
  environment: Environment;
}) {
  const reasons = new Map<string, string[]>();
  for (const algorithm of algorithms) {
    const why = whyIncompatible(algorithm, environment);
    if (why !== null) reasons.set(why, [...(reasons.get(why) ?? []), algorithm.name]);
  }
  if (reasons.size === 0) return null;
  const texts = [...reasons].map(
    ([why, names]) =>
      `${names.join(", ")} ${names.length > 1 ? lowerFirst(why).replace(/^needs /, "need ") : lowerFirst(why)}`,
  );
  return (
    <p className="mt-1 text-2xs text-ink-faint">Not for this environment: {texts.join(" · ")}</p>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

interface AlgorithmChoiceProps {
  /** Of the group of radio buttons. */
  name: string;
  algorithm: Algorithm;
  /** Why it cannot train on the environment; null if it can. */
  unfit: string | null;
  checked: boolean;
  onChoose: () => void;
}

/** A radio button with the name of an algorithm. Arrow keys move the choice. */
function AlgorithmChoice({ name, algorithm, unfit, checked, onChoose }: AlgorithmChoiceProps) {
  const disabled = unfit !== null && !checked;
  return (
    <label
      title={unfit ?? algorithm.title}
      className={clsx(
        "relative flex min-h-8 items-center rounded-md border px-3 text-sm font-medium transition-colors max-md:min-h-10",
        "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
        checked && "border-accent bg-accent-tint ring-1 ring-accent",
        !checked &&
          !disabled &&
          "border-line-strong bg-raised hover:border-control-line hover:bg-sunken",
        disabled && "border-line bg-sunken text-ink-faint",
      )}
    >
      <input
        type="radio"
        name={name}
        value={algorithm.id}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        aria-label={algorithm.name}
        aria-describedby={`${name}-${algorithm.id}`}
        className="sr-only"
      />
      {algorithm.name}
      <span id={`${name}-${algorithm.id}`} className="sr-only">
        {unfit ?? algorithm.title}
      </span>
    </label>
  );
}
