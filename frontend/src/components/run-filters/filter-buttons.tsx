import { CHOSEN, type Chosen, type ListFilter } from "@/api/run-filter";
import { FilterButton } from "./filter-button";

const LABELS: Record<Chosen, string> = {
  status: "Status",
  algo: "Algorithm",
  env_id: "Environment",
  tag: "Tag",
};

interface FilterButtonsProps {
  filter: Pick<ListFilter, Chosen>;
  onChange: (part: Partial<ListFilter>) => void;
}

/** A button for each of the filters whose values are chosen from a menu. */
export function FilterButtons({ filter, onChange }: FilterButtonsProps) {
  return CHOSEN.map((name) => (
    <FilterButton
      key={name}
      name={name}
      label={LABELS[name]}
      values={filter[name]}
      onChange={(values) => onChange({ [name]: values })}
    />
  ));
}
