import type { SortKey } from "@/lib/url";

export interface TableColumn {
  title: string;
  /** The key that the column sorts by; null if it cannot be sorted by. */
  sort: SortKey | null;
  /** When the column is shown: always, on `roomy` screens, or only on `wide` ones. */
  shown?: "wide" | "roomy";
  end?: boolean;
}

export const COLUMNS: readonly TableColumn[] = [
  { title: "Name", sort: "name" },
  { title: "Algorithm", sort: "algo", shown: "wide" },
  { title: "Environment", sort: "env_id", shown: "wide" },
  { title: "Preset", sort: "preset", shown: "wide" },
  { title: "Status", sort: "status" },
  { title: "Progress", sort: "step" },
  { title: "Best average", sort: "best_moving_average", end: true },
  { title: "Trend", sort: null, shown: "roomy" },
  { title: "Age", sort: "created_at", shown: "roomy", end: true },
];
