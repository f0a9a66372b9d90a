"use client";

import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { Kbd } from "./button";
import { layer, layerClass } from "./layer";

const itemClass =
  "flex min-h-8 items-center gap-2.5 rounded-md px-2 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-rest-tint max-md:min-h-10";

const surfaceClass = clsx(layerClass, "min-w-44 overflow-y-auto p-1");
const contentClass = clsx(surfaceClass, "max-h-(--radix-dropdown-menu-content-available-height)");
/** Its content may arrive later. It then moves up if it would not fit below the point. */
const atPointClass = clsx(surfaceClass, "max-h-[calc(100dvh-1rem)]");

interface MenuProps {
  /** The button that opens the menu. It needs an accessible name. */
  trigger: ReactNode;
  align?: "start" | "end";
  children: ReactNode;
}

/** A menu of actions: arrow keys, type-ahead, Escape. It is not modal, so the page behind stays readable. */
export function Menu({ trigger, align = "end", children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={layer()}>
        <Radix.Content align={align} sideOffset={4} collisionPadding={8} className={contentClass}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuAtProps {
  /** The accessible name. */
  label: string;
  /** Where it opens, in pixels from the window's upper left corner. */
  point: { x: number; y: number };
  onClose: () => void;
  children: ReactNode;
}

/** A menu that opens at a point, such as a right-click. When it closes, the focus returns to where it was. */
export function MenuAt({ label, point, onClose, children }: MenuAtProps) {
  const [from] = useState(() => document.activeElement);
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <Radix.Trigger asChild>
        <span
          aria-hidden
          tabIndex={-1}
          className="pointer-events-none fixed size-0"
          style={{ left: point.x, top: point.y }}
        />
      </Radix.Trigger>
      <Radix.Portal container={layer()}>
        <Radix.Content
          aria-label={label}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          className={atPointClass}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (from instanceof HTMLElement) from.focus({ preventScroll: true });
          }}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A heading of a menu, or a sentence in it. */
export function MenuText({ children }: { children: ReactNode }) {
  return <Radix.Label className="max-w-72 px-2 py-1 text-xs text-ink-soft">{children}</Radix.Label>;
}

interface MenuItemProps {
  icon?: ReactNode;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Why the item is disabled; shown below its label. */
  reason?: string | null;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({
  icon,
  shortcut,
  danger,
  reason = null,
  disabled = reason !== null,
  onSelect,
  children,
}: MenuItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      className={clsx(itemClass, danger ? "text-bad data-highlighted:bg-bad-tint" : "text-ink")}
    >
      <span aria-hidden className="grid size-4 place-items-center *:size-3.5">
        {icon}
      </span>
      <span className="grow">
        {children}
        {reason && <span className="block text-2xs text-ink-soft">{reason}</span>}
      </span>
      {shortcut && !disabled && <Kbd>{shortcut}</Kbd>}
    </Radix.Item>
  );
}

interface MenuSubProps {
  icon?: ReactNode;
  label: string;
  children: ReactNode;
}

/** An item with a submenu. */
export function MenuSub({ icon, label, children }: MenuSubProps) {
  return (
    <Radix.Sub>
      <Radix.SubTrigger className={clsx(itemClass, "text-ink data-[state=open]:bg-rest-tint")}>
        <span aria-hidden className="grid size-4 place-items-center *:size-3.5">
          {icon}
        </span>
        <span className="grow">{label}</span>
        <ChevronRight aria-hidden className="size-3.5 text-ink-faint" />
      </Radix.SubTrigger>
      <Radix.Portal container={layer()}>
        <Radix.SubContent collisionPadding={8} className={contentClass}>
          {children}
        </Radix.SubContent>
      </Radix.Portal>
    </Radix.Sub>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
