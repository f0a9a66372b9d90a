export { dismissForRun, dismissForService, toast, type ToastMessage } from "./store";
export { Toaster } from "./toaster";
