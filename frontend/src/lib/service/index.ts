export { patiently } from "./patiently";
export { SERVICE_AWAY, serviceAwaySince } from "./service-away";
export { useServiceAway } from "./use-service-away";
