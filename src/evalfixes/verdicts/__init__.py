"""The cores of the fixes: pure functions from what a judge said to what may be scored."""
