"use client";

import { Tabs as Radix } from "radix-ui";
import { type ComponentProps, type MouseEvent, type ReactNode, useRef } from "react";
import { openTab, type RunTab, searchOfTab } from "./tab-address";

export interface RunTabEntry {
  value: RunTab;
  label: string;
  /** A count or a mark after the label. */
  badge?: ReactNode;
}

interface RunTabBarProps {
  tabs: readonly RunTabEntry[];
  open: RunTab;
  /** The code of a tab is loaded when the pointer or the focus comes near. */
  onNear: (tab: RunTab) => void;
  /** What the open tab shows. */
  children: ReactNode;
}

/** The tabs of a run page. Each is a link, so that it can be opened in another window and copied. */
export function RunTabBar({ tabs, open, onNear, children }: RunTabBarProps) {
  const top = useRef<HTMLDivElement>(null);
  const choose = (tab: string) => {
    openTab(tab as RunTab);
    // Once the bar sticks to the header, the tab that opens would be shown from its middle.
    const bar = top.current;
    if (bar && bar.getBoundingClientRect().top < 0) bar.scrollIntoView({ block: "start" });
  };
  return (
    <Radix.Root value={open} onValueChange={choose} activationMode="manual">
      <div ref={top} className="scroll-mt-13" />
      <Radix.List
        aria-label="Parts of the run"
        className="z-20 -mx-4 mb-4 flex [scrollbar-width:none] gap-1 overflow-x-auto border-b border-line bg-bg px-3 max-sm:gap-0 md:sticky md:top-13 md:-mx-1 md:px-0"
      >
        {tabs.map(({ value, label, badge }) => (
          <Radix.Trigger key={value} value={value} asChild>
            <TabLink tab={value} onNear={() => onNear(value)}>
              {label}
              {badge}
            </TabLink>
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ value }) => (
        <Radix.Content key={value} value={value} tabIndex={-1} className="min-w-0 outline-none">
          {value === open && children}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

interface TabLinkProps extends ComponentProps<"a"> {
  tab: RunTab;
  onNear: () => void;
}

function TabLink({ tab, onNear, onClick, ...rest }: TabLinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
    if (!elsewhere) event.preventDefault();
  };
  const address = () => {
    const { pathname, search } = window.location;
    return `${pathname}${searchOfTab(new URLSearchParams(search), tab)}`;
  };
  return (
    <a
      {...rest}
      href={typeof window === "undefined" ? undefined : address()}
      onClick={follow}
      onPointerEnter={onNear}
      onFocusCapture={onNear}
      className="-mb-px flex h-10 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm font-medium text-ink-soft -outline-offset-2! transition-colors hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink max-sm:h-11 max-sm:px-1.5"
    />
  );
}
