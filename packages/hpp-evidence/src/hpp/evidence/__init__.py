"""Evidence: run a criterion, record what was measured, verify the record."""
