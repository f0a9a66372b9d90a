export { ExportItems } from "./export-items";
export { ExportRunsMenu } from "./export-runs-menu";
