"""The errors that a user can mend; everything else is a bug and keeps its traceback."""


class HordeError(Exception):
    """Base of all errors whose message tells the user what to do."""


class DataError(HordeError):
    """Input data are missing, damaged, or not what they are said to be."""


class ConfigError(HordeError):
    """A setting is unknown, out of range, or contradicts another."""
