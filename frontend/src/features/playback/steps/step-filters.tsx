import type { StepsInfo } from "@/api/types";
import { count } from "@/lib/number";
import { nameOf } from "@/player/reading/space";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { type End, isRewardTest, type StepFilter } from "./step-filter";

/** Of more actions than this, one is typed and not chosen from a list. */
const MOST_LISTED = 200;

interface StepFiltersProps {
  info: StepsInfo;
  filter: StepFilter;
  onChange: (filter: StepFilter) => void;
}

export function StepFilters({ info, filter, onChange }: StepFiltersProps) {
  const change = (part: Partial<StepFilter>) => onChange({ ...filter, ...part });
  const { n: actions, starts } = info.action;
  return (
    <div className="grid grid-cols-2 gap-2 @2xl:grid-cols-5">
      <Field label="Episode">
        {(control) => (
          <Select
            {...control}
            value={filter.episode ?? ""}
            onChange={({ target }) =>
              change({ episode: target.value === "" ? null : Number(target.value) })
            }
          >
            <option value="">All</option>
            {info.seeds.map((seed, place) => (
              <option key={place} value={place}>{`${place + 1} (seed ${seed})`}</option>
            ))}
          </Select>
        )}
      </Field>
      {actions !== null && (
        <Field label="Action">
          {(control) =>
            actions <= MOST_LISTED ? (
              <Select
                {...control}
                value={filter.action}
                onChange={({ target }) => change({ action: target.value })}
              >
                <option value="">Any</option>
                {Array.from({ length: actions }, (_, place) => (
                  <option key={place} value={String((starts?.[0] ?? 0) + place)}>
                    {nameOf(info.action, place)}
                  </option>
                ))}
              </Select>
            ) : (
              <input
                {...control}
                type="number"
                className={controlClass}
                placeholder={`Any of ${count(actions)}`}
                value={filter.action}
                onChange={({ target }) => change({ action: target.value })}
              />
            )
          }
        </Field>
      )}
      <Field
        label="Reward"
        error={isRewardTest(filter.reward) ? undefined : "For instance >0 or 0..1"}
      >
        {(control) => (
          <input
            {...control}
            className={controlClass}
            placeholder=">0"
            value={filter.reward}
            onChange={({ target }) => change({ reward: target.value })}
          />
        )}
      </Field>
      <Field label="End">
        {(control) => (
          <Select
            {...control}
            value={filter.end}
            onChange={({ target }) => change({ end: target.value as End })}
          >
            <option value="any">Any step</option>
            <option value="terminated">Terminated</option>
            <option value="truncated">Truncated</option>
          </Select>
        )}
      </Field>
      <Field label="Text">
        {(control) => (
          <input
            {...control}
            className={controlClass}
            placeholder="Action, end or hash"
            value={filter.text}
            onChange={({ target }) => change({ text: target.value })}
          />
        )}
      </Field>
    </div>
  );
}
