export { Trash } from "./trash";
