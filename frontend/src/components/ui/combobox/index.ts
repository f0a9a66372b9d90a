export { Combobox } from "./combobox";
export { type ComboboxOption, OptionList } from "./options";
