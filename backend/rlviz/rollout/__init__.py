"""Playing episodes in environments: the one rollout that training, evaluation and sessions use."""
