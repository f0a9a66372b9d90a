/** Form fields made from the service's schemas: in the form of a new run, and in that of a fork. */
export {
  type Bounds,
  describeBounds,
  type Parsed,
  parseHyperparameter,
  parseInteger,
} from "./parse";
export { SchemaField } from "./schema-field";
