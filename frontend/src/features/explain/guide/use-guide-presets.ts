"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  algorithmsQuery,
  type Environment,
  environmentsQuery,
  type OptionValues,
  type Preset,
  variantFor,
} from "@/lib/api";

export interface GuidePresets {
  environments: readonly Environment[];
  environment: Environment;
  presets: readonly Preset[];
  preset: Preset;
  chooseEnvironment: (id: string) => void;
  choosePreset: (id: string) => void;
}

interface Chosen {
  environment: string | null;
  preset: string | null;
}

interface First extends Chosen {
  options?: OptionValues;
}

/**
 * The environments that an algorithm can train on, and its presets for each. Initially selected is what
 * `first` names.
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
    const preset = pick(chosen.preset) ?? pick(first.preset) ?? presets[0];
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

  function presetsOf(environment: Environment): readonly Preset[] {
    return environment.algorithms.includes(algo) ? (environment.presets[algo] ?? []) : [];
  }
}
