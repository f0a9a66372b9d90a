"""Run folders like those of real training, written instantly."""
