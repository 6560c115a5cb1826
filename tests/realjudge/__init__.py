"""A real judge model, offline, behind the real doors; see docs/real-judge.md."""
