"""The host's side of the processes that run a rule's own Python and templates (`judge_code`)."""
