"use client";

import { Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { useModKey } from "./overlay";
import { type Shortcut, shortcutGroups } from "./shortcut-list";

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const groups = shortcutGroups(useModKey());
  return (
    <Dialog
      onlyText
      open
      onOpenChange={onClose}
      title="Keyboard shortcuts"
      description="Letter keys do nothing while you type."
      size="lg"
    >
      <div className="columns-1 gap-8 md:columns-2">
        {groups.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title} className="mb-5 break-inside-avoid">
            <h3 className="text-xs font-medium text-ink-faint">{title}</h3>
            <dl className="mt-1.5 divide-y divide-line border-y border-line">
              {shortcuts.map((shortcut) => (
                <div
                  key={shortcut.does}
                  className="flex min-h-9 items-center justify-between gap-4 py-1.5 text-sm"
                >
                  <dt className="text-ink-soft">{shortcut.does}</dt>
                  <dd className="shrink-0">
                    <Keys {...shortcut} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Keys({ keys, as }: Shortcut) {
  return (
    <span className="flex items-center gap-1 text-2xs text-ink-faint">
      {keys.map((key, index) => (
        <span key={key} className="flex items-center gap-1">
          {index > 0 && <span className={as === "or" ? "sr-only" : undefined}>{as}</span>}
          <Kbd>{key}</Kbd>
        </span>
      ))}
    </span>
  );
}
