import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface DialogHeaderProps {
  title: string;
  description?: ReactNode;
  className: string;
}

/** Title, description and close button of a dialog or a sheet. Must be inside Radix's dialog content. */
export function DialogHeader({ title, description, className }: DialogHeaderProps) {
  return (
    <header className={clsx("flex items-start justify-between gap-3", className)}>
      <div className="min-w-0">
        <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
        {description !== undefined && (
          <Radix.Description className="mt-0.5 text-sm text-ink-soft">
            {description}
          </Radix.Description>
        )}
      </div>
      <Radix.Close
        aria-label="Close"
        className="-mr-2 grid size-8 shrink-0 place-items-center rounded-md text-ink-faint transition-colors hover:bg-rest-tint hover:text-ink max-md:size-10"
      >
        <X aria-hidden className="size-4" />
      </Radix.Close>
    </header>
  );
}
