import { apiBase } from "../base";
import { http, unwrap } from "../http";

/** Delete a preset of the user's own; runs that were made with it keep their values. */
export async function deleteOwnPreset(id: string): Promise<void> {
  await unwrap(http.DELETE("/presets/{preset_id}", { params: { path: { preset_id: id } } }));
}

/** URL of the experiment that a preset was measured by, as a file. */
export function measuringSpecification(name: string): string {
  return `${apiBase}/presets/specifications/${encodeURIComponent(name)}`;
}
