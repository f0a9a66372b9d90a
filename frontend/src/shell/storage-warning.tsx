import { HardDrive, X } from "lucide-react";
import { routes } from "@/lib/routes";
import { HoverLink } from "@/ui/hover-link";

interface StorageWarningProps {
  /** One at least. */
  warnings: readonly string[];
  onClose: () => void;
}

export function StorageWarning({ warnings, onClose }: StorageWarningProps) {
  return (
    <div role="status" aria-label="Storage">
      <div className="flex items-start gap-2.5 border-b border-line-strong bg-warn-tint px-4 py-2 text-sm text-warn">
        <HardDrive aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p className="min-w-0 grow">
          <b className="font-semibold">Space for runs is running out.</b> {warnings[0]}
          {warnings.length > 1 && ` And ${warnings.length - 1} more.`}{" "}
          <HoverLink href={routes.storage} className="rounded-sm font-medium underline">
            Show storage
          </HoverLink>
        </p>
        <button
          type="button"
          aria-label="Close"
          className="-my-1 shrink-0 rounded-sm p-1.5 hover:bg-sunken"
          onClick={onClose}
        >
          <X aria-hidden className="size-4" />
        </button>
      </div>
    </div>
  );
}
