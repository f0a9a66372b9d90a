import type { SortKey } from "@/api/run-filter";

export interface TableColumn {
  title: string;
  /** The key that the column sorts by; null if it cannot be sorted by. */
  sort: SortKey | null;
  /** When the column is shown: always, on `roomy` screens, or only on `wide` ones. */
  shown?: "wide" | "roomy";
  /** Its place in a card, on a phone; without one it is left out there. */
  area?: "name" | "status" | "progress" | "best" | "spark";
  end?: boolean;
  /** Width of the bar that stands for its content while the row loads. */
  bar?: string;
}

export const COLUMNS: readonly TableColumn[] = [
  { title: "Name", sort: "name", area: "name" },
  { title: "Algorithm", sort: "algo", shown: "wide", bar: "w-8" },
  { title: "Environment", sort: "env_id", shown: "wide", bar: "w-20" },
  { title: "Preset", sort: "preset", shown: "wide", bar: "w-12" },
  { title: "Status", sort: "status", area: "status", bar: "w-16" },
  { title: "Progress", sort: "step", area: "progress", bar: "w-full" },
  { title: "Best average", sort: "best_moving_average", area: "best", end: true, bar: "w-10" },
  { title: "Trend", sort: null, shown: "roomy", area: "spark", bar: "w-full" },
  { title: "Age", sort: "created_at", shown: "roomy", end: true, bar: "w-10" },
];
