"""Playing a saved policy, filming it, and summing up how it did. Runs in a worker process of its own."""
