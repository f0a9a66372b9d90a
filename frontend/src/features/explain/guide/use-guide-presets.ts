"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { algorithmsQuery, environmentsQuery } from "@/api/choices";
import type { Environment, RunConfig } from "@/api/types";
import { type OptionValues, variantFor } from "@/api/variant";
import type { GuideSettings } from "./guide";

export interface GuidePresets {
  environments: readonly Environment[];
  environment: Environment;
  presets: readonly GuideSettings[];
  preset: GuideSettings;
  chooseEnvironment: (id: string) => void;
  choosePreset: (id: string) => void;
}

interface Chosen {
  environment: string | null;
  preset: string | null;
}

interface First extends Chosen {
  options?: OptionValues;
  config?: RunConfig | null;
}

/** Id of a run's own settings among the presets. */
const THIS_RUN = "this-run";

/**
 * The environments that an algorithm can train on, and its presets for each; on that of a run, its own settings as
 * well. Initially selected is what `first` names.
 */
export function useGuidePresets(algo: string, first: First) {
  const algorithms = useQuery(algorithmsQuery);
  const all = useQuery(environmentsQuery);
  const [chosen, setChosen] = useState<Chosen>({ environment: null, preset: null });
  const error = algorithms.error ?? all.error;
  const retry = () => void Promise.all([algorithms.refetch(), all.refetch()]);
  const data = all.data && algorithms.data && read(all.data);
  return { data, error, retry };

  function read(list: readonly Environment[]): GuidePresets | undefined {
    const environments = list
      .map((each) => (each.id === first.environment ? variantFor(each, first.options) : each))
      .filter((each) => presetsOf(each).length > 0);
    const find = (id: string | null) => environments.find((each) => each.id === id);
    const environment = find(chosen.environment) ?? find(first.environment) ?? environments[0];
    if (!environment) return undefined;
    const presets = presetsOf(environment);
    const pick = (id: string | null) => presets.find((each) => each.id === id);
    const preset = pick(chosen.preset) ?? pick(THIS_RUN) ?? pick(first.preset) ?? presets[0];
    if (!preset) return undefined;
    return {
      environments,
      environment,
      presets,
      preset,
      chooseEnvironment: (id) => setChosen({ ...chosen, environment: id }),
      choosePreset: (id) => setChosen({ ...chosen, preset: id }),
    };
  }

  function presetsOf(environment: Environment): readonly GuideSettings[] {
    const fits = environment.algorithms.includes(algo);
    const presets = fits ? (environment.presets[algo] ?? []) : [];
    const { config, environment: ofRun } = first;
    return config && environment.id === ofRun ? [settingsOf(config), ...presets] : presets;
  }
}

function settingsOf({ total_timesteps, hyperparameters }: RunConfig): GuideSettings {
  return {
    ...{ id: THIS_RUN, title: "This run", tradeoff: "" },
    summary: "its settings as it was created.",
    ...{ total_timesteps, hyperparameters },
  };
}
