"""What a run is: configuration, status, records, errors. Imports only the standard library and pydantic."""
