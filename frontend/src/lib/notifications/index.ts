export {
  browserNotifications,
  type BrowserNotifications,
  silence,
  turnOn,
} from "./browser-notifications";
