export { CompareEmpty } from "./compare-empty";
