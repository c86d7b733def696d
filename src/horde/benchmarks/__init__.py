"""What ``horde bench`` measures: seconds a round, and picks against an exact solver's."""
