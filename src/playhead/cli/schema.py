"""`playhead schema`: the JSON Schema of script files.

Law: prints; the schema is made in the scripts' own room.
"""

from __future__ import annotations

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of script files, for editors to complete and check them.

    Put it beside the scripts, and name it in their first line:
    `# yaml-language-server: $schema=script.schema.json`.
    """
    from playhead.script.schema import schema_text

    click.echo(schema_text(), nl=False)
