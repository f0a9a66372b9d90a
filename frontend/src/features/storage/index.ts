export { Storage } from "./storage";
