"use client";

import { Combobox } from "@/ui/combobox";
import { Segmented } from "@/ui/segmented";
import type { GuidePresets } from "./use-guide-presets";

/** Selects the environment and the preset whose values the picture and the table show. */
export function PresetPicker({ presets: chosen }: { presets: GuidePresets }) {
  const { environments, environment, presets, preset, chooseEnvironment, choosePreset } = chosen;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Combobox
        label="Environment"
        className="w-60!"
        placeholder="Search environments"
        options={environments.map(({ id, family_title }) => ({
          value: id,
          label: id,
          group: family_title,
        }))}
        value={environment.id}
        onChange={chooseEnvironment}
      />
      <Segmented
        legend="Preset"
        options={presets.map(({ id, title }) => ({ value: id, label: title }))}
        value={preset.id}
        onChange={choosePreset}
      />
    </div>
  );
}
