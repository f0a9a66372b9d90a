/** Below this width rows are shown as cards. layout.module.css repeats the value. */
export const CARDS = "(max-width: 47.99rem)";

/**
 * Height of a row in pixels. layout.module.css repeats it. It is fixed, so that nothing moves while rows
 * load.
 */
export const ROW_HEIGHT = { table: 44, cards: 140 } as const;
