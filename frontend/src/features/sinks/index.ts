export { SinksPanel } from "./sinks-panel";
