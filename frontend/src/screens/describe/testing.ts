import type { Limits } from "@/api/types";

const bounds = (minimum: number, maximum: number) => ({ minimum, maximum, default: null });

/** The limits of the service that the page uses. */
export const LIMITS = {
  game_name: "^[a-z][a-z0-9_]{0,39}$",
  game_taps: bounds(0, 100),
  game_expression: bounds(1, 500),
  game_frame_skip: bounds(1, 60),
  game_search: bounds(-0xffff, 0xffff),
  tap_bytes: bounds(1, 4),
  tap_bit: bounds(0, 7),
} satisfies Partial<Limits>;
