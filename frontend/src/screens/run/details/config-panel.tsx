"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { environmentsQuery } from "@/api/choices";
import { isGuest } from "@/api/run-availability";
import { driftQuery } from "@/api/run-record";
import type { Environment, Preset, RunConfig, RunDetail } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { rewardText } from "@/forms/reward-plan";
import { moment } from "@/lib/format-time";
import { count, plural, setting, settingText } from "@/lib/number";
import { Badge } from "@/ui/badge";

const NONE: never[] = [];

export function ConfigPanel({ run }: { run: RunDetail }) {
  return run.config === null ? (
    <p className="p-4 text-sm text-ink-soft">
      The configuration of this run cannot be read.{" "}
      {run.damage.map(({ file, problem, remedy }) => `${file}: ${problem} ${remedy}`).join(" ")}
    </p>
  ) : (
    <Configuration config={run.config} options={run.env_options} isPlayed={isGuest(run)} />
  );
}

interface ConfigurationProps {
  config: RunConfig;
  options: RunDetail["env_options"];
  /** Whether a person played: there is no policy to train or to keep. */
  isPlayed: boolean;
}

function Configuration({ config, options, isPlayed }: ConfigurationProps) {
  const { data: environments } = useQuery(environmentsQuery);
  const preset = presetOf(config, environments ?? NONE);
  const rows = settings(config, preset, { isPlayed });
  const changed = rows.filter(differs).length;
  return (
    <div className="grid gap-x-8 gap-y-5 p-4 sm:grid-cols-2">
      {rows.length > 0 && (
        <Facts
          title="Hyperparameters"
          note={
            preset &&
            (changed === 0
              ? `as in the preset ${preset.title}`
              : `${plural(changed, "value")} differ${changed === 1 ? "s" : ""} from the preset ${preset.title}`)
          }
          facts={rows}
        />
      )}
      <div className="flex flex-col gap-5">
        <Facts title="Environment" facts={named({ id: config.env_id, ...options })} />
        <Facts title="Run" facts={named(runFacts(config, isPlayed))} />
        <Facts title="Versions" facts={named(config.versions ?? {})} />
        <DriftNotes runId={config.run_id} />
      </div>
    </div>
  );
}

function runFacts(config: RunConfig, isPlayed: boolean): Record<string, unknown> {
  const checkpoints = isPlayed ? null : config.checkpoints;
  return {
    created: moment(config.created_at),
    ...(config.imported_from && { "imported from": config.imported_from }),
    ...(config.experiment && {
      experiment: config.experiment.id,
      variant: config.experiment.variant,
    }),
    seed: config.seed,
    "torch threads": config.torch_threads,
    ...(config.reward && { "reward in training": rewardText(config.reward) }),
    ...(checkpoints && { checkpoints: describeCheckpoints(checkpoints) }),
    ...(config.git_revision && { revision: config.git_revision.slice(0, 12) }),
  };
}

function describeCheckpoints(policy: NonNullable<RunConfig["checkpoints"]>): string {
  const { every_steps: steps, every_seconds: seconds, keep, film } = policy;
  const kept = `every ${count(steps)} steps or ${setting(seconds)} s, newest ${setting(keep)} kept`;
  return film ? `${kept}; up to ${setting(film)} for the filmstrip` : kept;
}

function named(facts: Record<string, unknown>): Setting[] {
  return Object.entries(facts).map(([name, value]) => ({ name, value }));
}

interface FactsProps {
  title: string;
  note?: string | null;
  facts: readonly Setting[];
}

function Facts({ title, note, facts }: FactsProps) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="flex flex-wrap items-baseline gap-x-2 text-xs font-medium text-ink-faint">
        {title}
        {note && <span className="font-normal">{note}</span>}
      </h3>
      <dl className="mt-1 divide-y divide-line">
        {facts.map((fact) => (
          <div
            key={fact.name}
            className={clsx(
              "flex justify-between gap-4 py-1 text-xs",
              differs(fact) && "-mx-2 rounded-sm bg-accent-tint px-2",
            )}
          >
            <dt className="shrink-0 font-mono text-ink-soft">{fact.name}</dt>
            <dd className="flex min-w-0 flex-wrap items-baseline justify-end gap-x-2 text-right font-mono tabular-nums">
              {differs(fact) && (
                <span className="text-ink-soft">
                  preset <s title={setting(fact.preset)}>{settingText(fact.preset)}</s>
                </span>
              )}
              <span className="min-w-0 break-words" title={setting(fact.value)}>
                {settingText(fact.value)}
              </span>
              {differs(fact) && <Badge tone="live">changed</Badge>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Differences between the version that wrote this run and this version; hidden if there are none. */
export function DriftNotes({ runId }: { runId: string }) {
  const { data: drift } = useQuery(driftQuery(runId));
  if (drift === undefined || drift.length === 0) return null;
  return (
    <section aria-label="Since it was written" className="min-w-0">
      <h3 className="text-xs font-medium text-ink-faint">Since it was written</h3>
      <ul className="mt-1 divide-y divide-line">
        {drift.map(({ kind, file, key, says }) => (
          <li key={`${kind} ${file} ${key}`} className="py-1 text-xs break-words text-ink-soft">
            {kind === "package" ? (
              says
            ) : (
              <>
                <code className="font-mono text-ink">
                  {file} {key}
                </code>
                : {says}
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Setting {
  name: string;
  value: unknown;
  /** The preset's value, if it differs. */
  preset?: unknown;
}

/** The preset that a run was created with, for the run's environment and its options. */
export function presetOf(config: RunConfig, environments: readonly Environment[]): Preset | null {
  const environment = environmentOfRun(
    environments.find(({ id }) => id === config.env_id),
    config,
  );
  return environment?.presets[config.algo]?.find(({ id }) => id === config.preset) ?? null;
}

/**
 * The training length and all hyperparameters, with those that differ from the preset first. Runs of a person have no
 * length.
 */
export function settings(
  config: RunConfig,
  preset: Preset | null,
  { isPlayed = false }: { isPlayed?: boolean } = {},
): Setting[] {
  const hyperparameters = Object.entries(config.hyperparameters).map(([name, value]) =>
    compared(name, value, preset?.hyperparameters[name]),
  );
  const steps = compared("total_timesteps", config.total_timesteps, preset?.total_timesteps);
  const all = isPlayed ? hyperparameters : [steps, ...hyperparameters];
  return [...all.filter(differs), ...all.filter((setting) => !differs(setting))];
}

function differs(setting: Setting): boolean {
  return setting.preset !== undefined;
}

function compared(name: string, value: unknown, preset: unknown): Setting {
  // A hyperparameter that the preset does not set cannot differ from it.
  const same = preset === undefined || JSON.stringify(value) === JSON.stringify(preset);
  return same ? { name, value } : { name, value, preset };
}
