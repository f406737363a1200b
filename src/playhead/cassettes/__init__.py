"""Our own recordings: what goes into a file, and what never does.

Law: pure functions over values; no I/O and no clock. Nothing that gives access to anything may leave this room
towards a file: headers pass an allow-list (`headers`), everything else passes the `redaction`, which knows the forms of
secrets (`secrets`) and the secrets it was told.
"""
