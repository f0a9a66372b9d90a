import { useState } from "react";
import { plural } from "@/lib/number";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { changedFields, presetOf, schemasOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { groupOf, SchemaFields } from "./schema-fields";

/**
 * A field for every hyperparameter, made from the service's schema. Values that differ from the preset's are
 * marked.
 */
export function AdvancedFields(props: FieldsProps) {
  const { choices, draft, edit, problems } = props;
  const [opened, setOpened] = useState(false);
  const preset = presetOf(choices, draft);
  const schemas = schemasOf(choices, draft, "hyperparameters");
  const groups = [...new Set(schemas.map(groupOf))];
  const changed = changedFields(choices, draft, "hyperparameters").length;
  const invalid = Object.keys(problems).some((pointer) => pointer.startsWith("/hyperparameters/"));
  return (
    <Disclosure
      className="px-5 py-3 max-md:px-4"
      open={opened || invalid}
      onToggle={setOpened}
      summary={<span className="font-semibold">Advanced</span>}
      aside={
        changed > 0 ? (
          <Badge tone="warn">{changed} changed</Badge>
        ) : (
          <span className="text-xs font-normal text-ink-faint">
            {plural(schemas.length, "hyperparameter")} as in {preset?.title}
          </span>
        )
      }
    >
      <div className="flex flex-col gap-4 pt-3 pb-2 pl-2.5">
        {changed > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-tint px-3 py-1.5 text-xs text-warn">
            Marked fields differ from {preset?.title}.
            <Button
              size="sm"
              variant="quiet"
              onClick={() => edit({ field: "reset", part: "hyperparameters" })}
            >
              Reset all
            </Button>
          </div>
        )}
        {groups.map((group) => (
          <div key={group} className="flex flex-col gap-2.5">
            {group !== "" && groups.length > 1 && (
              <h4 className="text-xs font-semibold text-ink-soft">{sentence(group)}</h4>
            )}
            <SchemaFields {...props} part="hyperparameters" group={group} owner="preset" />
          </div>
        ))}
      </div>
    </Disclosure>
  );
}

function sentence(text: string): string {
  const words = text.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
