import type { SortKey } from "@/lib/url";

/** Where the list becomes cards; the same in layout.module.css. */
export const CARDS = "(max-width: 47.99rem)";

/** Pixels from one run to the next; the same in layout.module.css. Fixed, so that nothing ever shifts. */
export const ROW_HEIGHT = { table: 44, cards: 140 } as const;

export interface TableColumn {
  title: string;
  /** What it is sorted by; null where no order makes sense. */
  sort: SortKey | null;
  /** Columns that give way when there is less room: `wide` first, then `roomy`. */
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
