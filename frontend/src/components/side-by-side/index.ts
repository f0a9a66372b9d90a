/** Two episodes beside each other, played in step from shortly before their actions first differ. */
export { SideBySideDialog } from "./side-by-side-dialog";
