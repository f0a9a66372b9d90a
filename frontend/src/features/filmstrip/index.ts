export { Filmstrip } from "./filmstrip";
