/** Names that are not their id in capitals. */
const NAMES: Record<string, string> = { qrdqn: "QR-DQN", "q-learning": "Q-learning" };

/** `ppo` → `PPO`: an algorithm as people write it. */
export function algorithmName(id: string): string {
  return NAMES[id] ?? id.toUpperCase();
}
