export { Home } from "./home";
export { HomeSkeleton } from "./home-skeleton";
