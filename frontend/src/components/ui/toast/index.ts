export { toast, type ToastMessage } from "./store";
export { Toaster } from "./toaster";
