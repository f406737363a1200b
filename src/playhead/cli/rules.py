"""`playhead rules`: lists the rules, explains one.

Law: prints; the texts are made in the rules' own room.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches

import click


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.option("--undecided", is_flag=True, help="List what cannot be decided offline, and why.")
@click.option("--markdown", is_flag=True, hidden=True, help="Print docs/rules.md.")
def rules(ids: tuple[str, ...], as_json: bool, undecided: bool, markdown: bool) -> None:
    """List the rules, or explain some: what, why, the API's words, the fix, where it is known from, examples."""
    from playhead.plugins import installed_rules
    from playhead.rules import describe
    from playhead.rules.catalogue import load_catalogue, load_undecided
    from playhead.rules.choice import all_rules
    from playhead.rules.registry import RULES

    catalogue = load_catalogue()
    known = {rule.id: rule for rule in all_rules(installed_rules())}
    if markdown:
        click.echo(describe.markdown(RULES, catalogue, load_undecided()), nl=False)
        return
    if undecided:
        for its in load_undecided():
            click.echo(f"{its.id}: {its.reason}")
        return
    unknown = [id for id in ids if id not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, n=1)
        meant = f"did you mean {near[0]}?" if near else "`playhead rules` lists them"
        click.echo(f"playhead: there is no rule {unknown[0]!r}: {meant}", err=True)
        sys.exit(2)
    chosen = [known[id] for id in ids] or [*known.values()]
    if as_json:
        click.echo(describe.as_json(chosen, catalogue))
    elif ids:
        for number, rule in enumerate(chosen):
            click.echo("\n".join([""] * (number > 0) + [*describe.explanation(rule, catalogue.get(rule.id))]))
    else:
        click.echo("\n".join(describe.listing(chosen, catalogue)).rstrip())
