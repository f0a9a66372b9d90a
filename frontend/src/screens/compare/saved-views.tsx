"use client";

import { Bookmark, Trash2 } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { changeQueryString } from "@/lib/query-string";
import { createKeptStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";

/** A view of the comparison under a name: its query string holds runs, layout and settings. */
export interface SavedView {
  name: string;
  search: string;
}

/** The views that this browser keeps. */
export const savedViews = createKeptStore<readonly SavedView[]>(
  "rlviz.compare.views",
  [],
  parseViews,
);

function parseViews(kept: unknown): readonly SavedView[] | null {
  if (!Array.isArray(kept)) return null;
  return kept.flatMap((one: Partial<SavedView> | null) =>
    typeof one?.name === "string" && typeof one.search === "string"
      ? [{ name: one.name, search: one.search }]
      : [],
  );
}

/** The views with a new one, which replaces a view of the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].toSorted((a, b) =>
    a.name.localeCompare(b.name),
  );
}

/** Saves the state in the address under a name, and opens saved views. */
export function SavedViews({ isEmpty }: { isEmpty: boolean }) {
  const views = useStore(savedViews);
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const id = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name.trim();
    if (trimmed === "") return;
    savedViews.set(withView(views, { name: trimmed, search: window.location.search }));
    setName("");
  };
  const show = (search: string) => {
    setOpen(false);
    changeQueryString(() => search, "pushState");
  };
  return (
    <Popover
      label="Views"
      open={open}
      onOpenChange={setOpen}
      trigger={<Button icon={<Bookmark aria-hidden className="size-3.5" />}>Views</Button>}
    >
      {views.length === 0 ? (
        <p className="text-xs text-ink-faint">
          A view keeps the runs, the charts and their settings under a name, in this browser.
        </p>
      ) : (
        <ul aria-label="Saved views" className="-mx-1 flex max-h-60 flex-col overflow-y-auto">
          {views.map((view) => (
            <li key={view.name} className="flex min-w-0 items-center gap-1">
              <button
                type="button"
                onClick={() => show(view.search)}
                className="min-h-8 min-w-0 grow truncate rounded-sm px-1 text-left text-sm hover:bg-rest-tint max-md:min-h-10"
              >
                {view.name}
              </button>
              <Button
                size="sm"
                variant="quiet"
                aria-label={`Delete the view ${view.name}`}
                icon={<Trash2 aria-hidden className="size-3.5" />}
                onClick={() => savedViews.set(views.filter((other) => other !== view))}
              />
            </li>
          ))}
        </ul>
      )}
      {!isEmpty && (
        <form onSubmit={save} className="mt-2 flex items-end gap-2 border-t border-line pt-2">
          <label htmlFor={id} className="flex min-w-0 grow flex-col gap-1 text-xs text-ink-soft">
            Save this view as
            <input
              id={id}
              value={name}
              maxLength={60}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
              className={controlClass}
            />
          </label>
          <Button type="submit" unavailable={name.trim() === "" ? "Enter a name first" : null}>
            Save
          </Button>
        </form>
      )}
    </Popover>
  );
}
