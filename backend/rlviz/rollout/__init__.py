"""Playing episodes in environments: the one rollout that training, evaluation and everybody else uses."""
