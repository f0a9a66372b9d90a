import {
  BookOpen,
  ChartSpline,
  FlaskConical,
  Gamepad2,
  GitCompareArrows,
  type LucideIcon,
  Trash2,
} from "lucide-react";
import { routes } from "@/lib/url";

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** Shortcut that leads there, for display. */
  keys: string;
  /** More words that the palette finds it by. */
  words: readonly string[];
  /** Paths of the pages that belong to it. */
  owns: (path: string) => boolean;
}

const under = (root: string) => (path: string) => path === root || path.startsWith(`${root}/`);

export const destinations: readonly Destination[] = [
  {
    href: routes.home,
    label: "Runs",
    icon: ChartSpline,
    keys: "G H",
    words: ["home", "list"],
    owns: (path) => path === routes.home || under("/runs")(path),
  },
  {
    href: routes.compare,
    label: "Compare",
    icon: GitCompareArrows,
    keys: "G C",
    words: ["side by side"],
    owns: under(routes.compare),
  },
  {
    href: routes.explain,
    label: "Explain",
    icon: BookOpen,
    keys: "G E",
    words: ["guides", "algorithms", "help", "hints"],
    owns: under(routes.explain),
  },
  {
    href: routes.play,
    label: "Play",
    icon: Gamepad2,
    keys: "G P",
    words: ["game", "keyboard", "human", "by hand"],
    owns: under(routes.play),
  },
];

/** Beside the other pages, and on a phone in the search alone, where its bar has no room. */
export const EXPERIMENTS: Destination = {
  href: routes.experiments,
  label: "Experiments",
  icon: FlaskConical,
  keys: "G X",
  words: ["seeds", "variants", "sweep", "search hyperparameters", "compare algorithms"],
  owns: under(routes.experiments),
};

/** Placed below the other pages, since it is used less. */
export const TRASH: Destination = {
  href: routes.trash,
  label: "Trash",
  icon: Trash2,
  keys: "G T",
  words: ["deleted runs", "restore", "undo"],
  owns: under(routes.trash),
};
