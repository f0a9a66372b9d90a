export { type NamedRun, useRunActionsWithToasts } from "./use-run-actions-with-toasts";
