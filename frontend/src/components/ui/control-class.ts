/** The look of a text field or a select. */
export const controlClass =
  "h-8 w-full min-w-0 rounded-md border border-control-line bg-raised px-2.5 text-sm tabular-nums transition-colors hover:border-ink-faint aria-invalid:border-bad disabled:opacity-60 max-md:h-10 max-md:text-[1rem]";
