import clsx from "clsx";

type Tone = "live" | "good" | "warn" | "bad" | "rest";

const tones: Record<Tone, string> = {
  live: "bg-accent-wash text-accent-strong",
  good: "bg-good-wash text-good",
  warn: "bg-warn-wash text-warn",
  bad: "bg-bad-wash text-bad-strong",
  rest: "bg-rest-wash text-ink-soft",
};

const statuses: Record<string, Tone> = {
  created: "rest",
  queued: "warn",
  running: "live",
  stopping: "warn",
  stopped: "rest",
  completed: "good",
  failed: "bad",
  interrupted: "bad",
};

/** Status of a run or an evaluation: a word in its colour, a dot that breathes while work goes on. */
export function StatusBadge({ status }: { status: string }) {
  const tone = statuses[status] ?? "rest";
  const busy = status === "running" || status === "stopping";
  return (
    <span
      data-status={status}
      className={clsx(
        "inline-flex h-5 items-center gap-1.5 rounded-full px-2 text-2xs font-medium whitespace-nowrap",
        tones[tone],
      )}
    >
      <span
        aria-hidden
        className={clsx("size-1.5 rounded-full bg-current", busy && "animate-breathe")}
      />
      {status}
    </span>
  );
}
