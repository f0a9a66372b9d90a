export { LiveWindow } from "./live-window";
