export { Explain } from "./explain";
