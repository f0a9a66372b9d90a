export { type NamedRun, runActionsWithToasts } from "./run-actions-with-toasts";
export { useRunActionsWithToasts } from "./use-run-actions-with-toasts";
