export { KnobsCard } from "./knobs/knobs-card";
export { RulesPanel } from "./editor/rules-panel";
