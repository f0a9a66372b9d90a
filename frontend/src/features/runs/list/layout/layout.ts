import type { SortKey } from "@/lib/url";

/** Below this width rows are shown as cards. layout.module.css repeats the value. */
export const CARDS = "(max-width: 47.99rem)";

/**
 * Height of a row in pixels. layout.module.css repeats it. It is fixed, so that nothing moves while rows
 * load.
 */
export const ROW_HEIGHT = { table: 44, cards: 140 } as const;

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
  { title: "Best return", sort: "best_moving_average", end: true },
  { title: "Trend", sort: null, shown: "roomy" },
  { title: "Age", sort: "created_at", shown: "roomy", end: true },
];
