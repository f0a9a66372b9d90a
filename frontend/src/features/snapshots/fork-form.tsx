"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { runSinksQuery } from "@/api/sinks";
import { forkRun } from "@/api/snapshots";
import type { Algorithm, Environment, ForkChanges, Hint, RunConfig, RunDetail } from "@/api/types";
import { count, plural, setting } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { type ControlProps, Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import {
  type FixedSetting,
  type ForkDraft,
  forkRequest,
  forkSettings,
  type ForkStart,
  type Part,
} from "./fork-request";
import { SettingFields } from "./setting-fields";

interface ForkFormProps {
  run: RunDetail;
  config: RunConfig;
  algorithm: Algorithm;
  /** Undefined if it is not offered any more. */
  environment: Environment | undefined;
  changes: ForkChanges;
  start: ForkStart;
  tries?: Hint["changes"][number];
}

export function ForkForm({ run, config, start, tries, ...known }: ForkFormProps) {
  const { algorithm, environment, changes } = known;
  const router = useRouter();
  const client = useQueryClient();
  const [draft, setDraft] = useState<ForkDraft>({
    ...{ name: "", seed: "" },
    hyperparameters: tries ? { [tries.name]: setting(tries.value) } : {},
    env_options: {},
    timesteps: String(usualTimesteps(run, start)),
  });
  const [alone, setAlone] = useState(false);
  const { changeable, fixed } = forkSettings(config, algorithm, environment, changes);
  const { body, problems } = forkRequest(algorithm, changeable, draft, start);
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
  const text = (field: "name" | "seed" | "timesteps", placeholder?: string) =>
    function Control(control: ControlProps): ReactNode {
      return (
        <input
          {...control}
          autoComplete="off"
          inputMode={field === "name" ? "text" : "numeric"}
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
          hint={`In all; ${count(start.step)} are done.`}
          error={problem("/total_timesteps")}
        >
          {text("timesteps")}
        </Field>
        <Field
          label="Seed"
          hint="With another one, environments begin a new episode."
          error={problem("/seed")}
        >
          {text("seed", String(run.seed))}
        </Field>
      </div>
      <SettingFields legend="Hyperparameters" part="hyperparameters" {...fields} />
      <SettingFields
        legend="Environment"
        note={`With another option, environments begin a new episode.${keepsReplay ? " The replay buffer still holds what was seen before." : ""}`}
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
          {changed.length === 0
            ? "Nothing changed yet"
            : `${plural(changed.length, "setting")} changed`}
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

/** As many as the parent trains for; where it has none left, as many again, so that a change shows. */
function usualTimesteps({ total_timesteps: total }: RunDetail, { step }: ForkStart): number {
  return step < total ? total : step + total;
}

interface SinksProps {
  run: RunDetail;
  /** Whether the fork is delivered nowhere. */
  alone: boolean;
  onChange: (alone: boolean) => void;
}

/** The fork is delivered where its parent is, unless somebody does not want that. */
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
      Deliver it to {live.join(", ")} too, as a run of its own
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
              <span className="min-w-0 break-words text-ink-soft">{setting(value)}</span>
            </dt>
            <dd className="mt-0.5 text-ink-soft">{why}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}
