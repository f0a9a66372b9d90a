import Link from "next/link";
import { routes } from "@/lib/routes";

export function Logo() {
  return (
    <Link
      href={routes.home}
      className="flex min-w-0 items-center gap-2 rounded-md text-sm font-semibold tracking-tight"
    >
      <svg aria-hidden viewBox="0 0 24 24" className="size-6 shrink-0">
        <rect width="24" height="24" rx="6" className="fill-accent" />
        <path
          d="M5 17.5c4.2 0 4.6-3.2 6.6-6.4S15.6 7 17 7"
          fill="none"
          strokeWidth="2"
          strokeLinecap="round"
          className="stroke-accent-ink"
        />
        <circle cx="18" cy="7" r="2" className="fill-accent-ink" />
      </svg>
      <span className="truncate max-[27rem]:sr-only">RL Gym Visualizer</span>
    </Link>
  );
}
