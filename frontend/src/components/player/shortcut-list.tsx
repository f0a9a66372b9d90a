import { PLAYER_SHORTCUTS } from "./shortcuts";

export function ShortcutList({ id }: { id: string }) {
  return (
    <dl
      id={id}
      className="grid gap-x-6 gap-y-1 rounded-md border border-line bg-sunken px-3 py-2.5 text-xs @md:grid-cols-2"
    >
      {PLAYER_SHORTCUTS.map(({ shown, does }) => (
        <div key={does} className="flex items-center justify-between gap-3">
          <dt className="text-ink-soft">{does}</dt>
          <dd className="flex gap-1">
            {shown.map((key) => (
              <kbd
                key={key}
                className="rounded-sm border border-line-strong bg-raised px-1.5 font-mono text-2xs text-ink"
              >
                {key}
              </kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
