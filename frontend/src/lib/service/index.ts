export { withRetry } from "./with-retry";
export { SERVICE_AWAY, serviceAwaySince } from "./service-away";
export { useServiceAway } from "./use-service-away";
