export { type NamedRun, useToldRunActions } from "./use-told-run-actions";
