import { BookOpen, ChartSpline, GitCompareArrows, type LucideIcon } from "lucide-react";
import { routes } from "@/lib/url";

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** Keys that lead there, as they are shown. */
  keys: string;
  /** Paths that belong to it. */
  owns: (path: string) => boolean;
}

const under = (root: string) => (path: string) => path === root || path.startsWith(`${root}/`);

export const destinations: readonly Destination[] = [
  {
    href: routes.home,
    label: "Runs",
    icon: ChartSpline,
    keys: "G H",
    owns: (path) => path === routes.home || under("/runs")(path),
  },
  {
    href: routes.compare,
    label: "Compare",
    icon: GitCompareArrows,
    keys: "G C",
    owns: under(routes.compare),
  },
  {
    href: routes.explain,
    label: "Explain",
    icon: BookOpen,
    keys: "G E",
    owns: under(routes.explain),
  },
];
