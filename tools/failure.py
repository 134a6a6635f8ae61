"""One clear sentence instead of a traceback."""


class SetUpError(Exception):
    """This machine lacks something; the message names it and what to do."""
