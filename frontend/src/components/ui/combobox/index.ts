export { Combobox } from "./combobox";
export { MultiCombobox } from "./multi-combobox";
export { type ComboboxOption, OptionList } from "./options";
