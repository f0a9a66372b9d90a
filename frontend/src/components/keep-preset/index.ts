export { KeepPreset } from "./keep-preset";
