export { ExplainEmpty } from "./explain-empty";
