export interface Shortcut {
  /** Pressed together, or one after the other. */
  keys: string[];
  then?: boolean;
  does: string;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: Shortcut[];
}

/** What the sheet shows. A page that gains a key is told here. */
export function shortcutGroups(mod: string): ShortcutGroup[] {
  return [
    {
      title: "Anywhere",
      shortcuts: [
        { keys: [mod, "K"], does: "Search runs, pages and actions" },
        { keys: ["n"], does: "New run" },
        { keys: ["g", "h"], then: true, does: "Go to Runs" },
        { keys: ["g", "c"], then: true, does: "Go to Compare" },
        { keys: ["g", "e"], then: true, does: "Go to Explain" },
        { keys: ["F8"], does: "Reach the newest message" },
        { keys: ["Esc"], does: "Close what is open" },
        { keys: ["?"], does: "This sheet" },
      ],
    },
    {
      title: "List of runs",
      shortcuts: [
        { keys: ["/"], does: "Search the runs" },
        { keys: ["j"], does: "Next run; k, the one before" },
        { keys: ["x"], does: "Select; with Shift, all since the last one" },
        { keys: [mod, "A"], does: "Select all that match" },
        { keys: ["Enter"], does: "Open" },
        { keys: ["F2"], does: "Name, tags and notes" },
        { keys: ["m"], does: "All that can be done with it" },
        { keys: ["Del"], does: "Delete, with a way back" },
      ],
    },
    {
      title: "Player, while it has the focus",
      shortcuts: [
        { keys: ["Space"], does: "Play or pause" },
        { keys: ["→"], does: "Next frame; ←, the one before" },
        { keys: ["n"], does: "Next episode; p, the one before" },
        { keys: ["↑"], does: "Faster; ↓, slower" },
        { keys: ["f"], does: "Full screen" },
      ],
    },
  ];
}
