import {
  BookOpen,
  ChartScatter,
  ChartSpline,
  FlaskConical,
  Gamepad2,
  GitCompareArrows,
  HardDrive,
  type LucideIcon,
  Settings,
  Trash2,
} from "lucide-react";
import { routes } from "@/lib/routes";

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** The shortcut that opens it, for display. */
  keys: string;
  /** Whether it is in the bar of a phone; the others are under *More*. */
  inBar?: boolean;
  /** Paths of the pages that belong to it. */
  owns: (path: string) => boolean;
}

const under = (root: string) => (path: string) => path === root || path.startsWith(`${root}/`);

/** The pages that the sidebar lists first. */
export const pages: readonly Destination[] = [
  {
    href: routes.home,
    label: "Runs",
    icon: ChartSpline,
    keys: "G H",
    inBar: true,
    owns: (path) => path === routes.home || under("/runs")(path),
  },
  {
    href: routes.compare,
    label: "Compare",
    icon: GitCompareArrows,
    keys: "G C",
    inBar: true,
    owns: under(routes.compare),
  },
  {
    href: routes.experiments,
    label: "Experiments",
    icon: FlaskConical,
    keys: "G X",
    owns: under(routes.experiments),
  },
  {
    href: routes.analyse,
    label: "Analyse",
    icon: ChartScatter,
    keys: "G A",
    owns: under(routes.analyse),
  },
  {
    href: routes.explain,
    label: "Explain",
    icon: BookOpen,
    keys: "G E",
    inBar: true,
    owns: under(routes.explain),
  },
  {
    href: routes.play,
    label: "Play",
    icon: Gamepad2,
    keys: "G P",
    owns: under(routes.play),
  },
];

/** Settings and what belongs to them: the sidebar lists them below the other pages. */
export const lowerPages: readonly Destination[] = [
  {
    href: routes.settings,
    label: "Settings",
    icon: Settings,
    keys: "G ,",
    owns: under(routes.settings),
  },
  {
    href: routes.storage,
    label: "Storage",
    icon: HardDrive,
    keys: "G S",
    owns: under(routes.storage),
  },
  {
    href: routes.trash,
    label: "Trash",
    icon: Trash2,
    keys: "G T",
    owns: under(routes.trash),
  },
];

export const allPages: readonly Destination[] = [...pages, ...lowerPages];
