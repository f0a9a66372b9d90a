/** Form fields made from the service's schemas: in the forms of a new run, of a fork, and of an experiment. */
export {
  type Bounds,
  describeBounds,
  fittingValues,
  type Parsed,
  parseDecimal,
  parseHyperparameter,
  parseInteger,
} from "./parse";
export { SchemaField } from "./schema-field";
