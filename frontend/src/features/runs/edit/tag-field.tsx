"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { tagsQuery } from "@/api/runs";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { addTags } from "./tags";

interface TagFieldProps {
  tags: readonly string[];
  onChange: (tags: string[]) => void;
  error?: string;
}

/** A text field for tags: chosen tags are shown as chips, and tags of other runs are suggested. */
export function TagField({ tags, onChange, error }: TagFieldProps) {
  const [typed, setTyped] = useState("");
  const known = useQuery(tagsQuery).data?.tags ?? [];
  const add = (text: string) => {
    onChange(addTags(tags, text));
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter" && typed.trim() !== "") {
      event.preventDefault();
      add(typed);
    } else if (event.key === "Backspace" && typed === "") {
      onChange(tags.slice(0, -1));
    }
  };
  return (
    <Field label="Tags" hint="Enter or a comma adds one." error={error}>
      {(control) => (
        <div className="flex flex-col gap-2">
          {tags.length > 0 && (
            <ul className="flex flex-wrap gap-1.5" aria-label="Tags of this run">
              {tags.map((tag) => (
                <li
                  key={tag}
                  className="flex h-6 max-w-full items-center rounded-sm bg-rest-tint pl-2 text-xs max-md:h-8"
                >
                  <span className="truncate">{tag}</span>
                  <button
                    type="button"
                    aria-label={`Remove tag ${tag}`}
                    onClick={() => onChange(tags.filter((other) => other !== tag))}
                    className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-faint hover:text-ink max-md:size-8"
                  >
                    <X aria-hidden className="size-3" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            list={`${control.id}-known`}
            autoComplete="off"
            className={controlClass}
            value={typed}
            onKeyDown={onKeyDown}
            onBlur={() => add(typed)}
            onChange={({ target }) =>
              target.value.includes(",") ? add(target.value) : setTyped(target.value)
            }
          />
          <datalist id={`${control.id}-known`}>
            {known
              .filter(({ name }) => !tags.includes(name))
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}
