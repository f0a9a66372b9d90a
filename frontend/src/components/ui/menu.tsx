"use client";

import clsx from "clsx";
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Kbd } from "./kbd";
import { layer, layerClass } from "./layer";

const itemClass =
  "flex min-h-8 items-center gap-2.5 rounded-md px-2 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-rest-wash max-md:min-h-10";

interface MenuProps {
  /** The button that opens it; it needs a name of its own. */
  trigger: ReactNode;
  align?: "start" | "end";
  children: ReactNode;
}

/** Actions behind a button: arrow keys, type-ahead, Escape. Not modal: the page behind stays readable. */
export function Menu({ trigger, align = "end", children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={layer()}>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={clsx(
            layerClass,
            "max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto p-1",
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  icon?: ReactNode;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, shortcut, danger, disabled, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      className={clsx(itemClass, danger ? "text-bad data-highlighted:bg-bad-wash" : "text-ink")}
    >
      <span aria-hidden className="grid size-4 place-items-center *:size-3.5">
        {icon}
      </span>
      <span className="grow">{children}</span>
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </Radix.Item>
  );
}

interface MenuCheckProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}

/** Stays open, so that several can be set in one go. */
export function MenuCheck({ checked, onChange, children }: MenuCheckProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={itemClass}
    >
      <span aria-hidden className="grid size-4 place-items-center">
        {checked && <Check className="size-3.5 text-accent" />}
      </span>
      <span className="grow">{children}</span>
    </Radix.CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <Radix.Label className="px-2 pt-1.5 pb-1 text-2xs font-medium text-ink-faint">
      {children}
    </Radix.Label>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
