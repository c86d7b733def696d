"""Errors the user can fix; every other error is a bug and keeps its traceback."""


class HordeError(Exception):
    """Base of all errors whose message tells the user what to do."""


class DataError(HordeError):
    """Input data are missing, damaged, or differ from their declaration."""


class OutputError(HordeError):
    """A result can't be written: the disk is full, permission is missing, or the path is taken."""


class ConfigError(HordeError):
    """A setting is unknown, is out of range, or contradicts another."""
