/** Display name of a preset: `high-score` → `High Score`. Without one, a run has the algorithm's defaults. */
export function presetName(preset: string | null): string {
  if (preset === null) return "Defaults";
  return preset.replace(
    /(^|-)(.)/g,
    (_, dash, letter: string) => `${dash ? " " : ""}${letter.toUpperCase()}`,
  );
}
