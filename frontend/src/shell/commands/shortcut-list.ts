import { PLAYER_SHORTCUTS } from "@/player/video/shortcuts";

export interface Shortcut {
  /** The keys of the shortcut. */
  keys: readonly string[];
  /** How `keys` combine: pressed together, in sequence, or alternatives. */
  as?: "+" | "then" | "or";
  does: string;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Shortcut[];
}

/** The shortcuts that the sheet lists. A new shortcut has to be added here. */
export function shortcutGroups(mod: string): ShortcutGroup[] {
  return [
    {
      title: "Anywhere",
      shortcuts: [
        { keys: [mod, "K"], as: "+", does: "Search runs, environments, guides and actions" },
        { keys: ["N"], does: "New run" },
        { keys: ["G", "H"], as: "then", does: "Go to Runs" },
        { keys: ["G", "C"], as: "then", does: "Go to Compare" },
        { keys: ["G", "E"], as: "then", does: "Go to Explain" },
        { keys: ["G", "P"], as: "then", does: "Go to Play" },
        { keys: ["G", "X"], as: "then", does: "Go to Experiments" },
        { keys: ["G", "A"], as: "then", does: "Go to Analyse" },
        { keys: ["G", "S"], as: "then", does: "Go to Storage" },
        { keys: ["G", "T"], as: "then", does: "Go to Trash" },
        { keys: ["G", ","], as: "then", does: "Go to Settings" },
        { keys: ["F8"], does: "Go to the newest message" },
        { keys: ["Esc"], does: "Close the open panel" },
        { keys: ["?"], does: "This sheet" },
      ],
    },
    {
      title: "Table of runs, from anywhere on its page",
      shortcuts: [
        { keys: ["/"], does: "Search the table; Esc leaves it" },
        { keys: ["J", "K"], as: "or", does: "Down or up" },
        { keys: ["Enter"], does: "Open the run" },
        { keys: ["X"], does: "Select it; with Shift, all up to it" },
        { keys: ["M"], does: "Its menu" },
        { keys: ["F2"], does: "Edit name, tags and notes" },
        { keys: ["Del"], does: "Delete it" },
        { keys: ["Shift", "← →"], as: "+", does: "On a title: move its column" },
        { keys: ["←", "→"], as: "or", does: "On the edge of a title: set its width" },
      ],
    },
    {
      title: "In a chart",
      shortcuts: [
        { keys: ["←", "→"], as: "or", does: "Read values; with Shift, in longer steps" },
        { keys: ["+", "−"], as: "or", does: "Zoom in or out" },
        { keys: ["O"], does: "On a run: change a hyperparameter from there on; or right-click" },
        { keys: ["Esc"], does: "Show everything" },
      ],
    },
    {
      title: "In the player",
      shortcuts: PLAYER_SHORTCUTS.map(({ shown, does }) => ({ keys: shown, as: "or", does })),
    },
  ];
}
