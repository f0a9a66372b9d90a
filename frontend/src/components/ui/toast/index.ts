export { dismissForRun, dismissForService, toast } from "./store";
export { Toaster } from "./toaster";
