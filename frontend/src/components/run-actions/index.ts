export { type NamedRun, type ToldRunActions, useToldRunActions } from "./use-told-run-actions";
