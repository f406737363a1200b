"""What was recorded: our format, what never reaches a file, which recorded exchange a request means.

Law: nothing that gives access to anything may leave this room towards a file: headers pass an allow-list (`headers`),
everything else passes the `redaction`, which knows the forms of secrets (`secrets`) and the secrets it was told.
"""
