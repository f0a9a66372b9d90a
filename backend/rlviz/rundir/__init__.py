"""The run folder: the contract between the service and the trainer."""
