"""Rules on what a loop does when a request fails: what it tries again, how, and what it says when it gives up.

Law: pure checks. What may be tried again is what the SDK tries again (anthropic 2.14.0, `_base_client.py`): 408, 409,
429, 500 and above, and broken connections, unless the header `x-should-retry` says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.bodies import same_body, same_request
from playhead.rules.calls import id_of
from playhead.rules.ending import tells_trouble
from playhead.rules.executions import runs_again
from playhead.rules.rule import EndView, Finding, Rule, StepView
from playhead.wire.equality import same_content, same_message, same_settings
from playhead.wire.exchange import Exchange
from playhead.wire.tables import ERROR_STATUS
from playhead.wire.turns import blocks_of

_AGAIN = (408, 409, 429)
_OUR_OWN = "Playhead: "
"""How the fake's own errors begin: that a script is over says nothing about the request."""

_SLACK = 0.1
"""Clocks of a recorder and a server are not one: waiting nearly as long as asked is as long as asked."""


def status_of(exchange: Exchange) -> int | None:
    """The HTTP status of a failed exchange, by its error's type where it was not recorded; None for a connection."""
    if exchange.status is not None and exchange.status >= 400:
        return exchange.status
    if exchange.status is None and exchange.error is not None:
        return ERROR_STATUS.get(str(exchange.error.get("type")))
    return None


def is_transient(exchange: Exchange) -> bool:
    """Whether a failed request may be tried again. An answer that broke off is no such thing: the turn is lost."""
    wish = exchange.response_headers.get("x-should-retry")
    if wish in ("true", "false"):
        return wish == "true"
    if _spend_limit(exchange):
        return False
    status = status_of(exchange)
    if status is None:
        return exchange.status is None and exchange.error is None and not exchange.complete
    return status in _AGAIN or status >= 500


def _is_final(exchange: Exchange) -> bool:
    """Whether a request was refused for what it is, so that it will be refused again."""
    status = status_of(exchange)
    wish = exchange.response_headers.get("x-should-retry")
    if status is None or wish == "true" or str((exchange.error or {}).get("message")).startswith(_OUR_OWN):
        return False
    return wish == "false" or not (status in _AGAIN or status >= 500)


def _spend_limit(exchange: Exchange) -> bool:
    """Whether a 429 says that the budget is used up: no waiting helps."""
    error = exchange.error or {}
    details = error.get("details")
    if isinstance(details, dict) and details.get("error_code") == "enforced_spend_limit_reached":
        return True
    if status_of(exchange) != 429 or "retry-after" in exchange.response_headers:
        return False
    return "usage limits" in str(error.get("message")) or "spend" in str(error.get("message"))


def _by_the_sdk(exchange: Exchange) -> bool:
    """Whether the SDK sent this attempt by itself, for which a loop is not to blame."""
    return (exchange.headers or {}).get("x-stainless-retry-count", "0") != "0"


def _tries_again(step: StepView) -> bool:
    """Whether a request is another attempt, not an equal call of somebody else in the same recording."""
    if step.link.kind != "repeats":
        return False
    return step.one_loop or len(step.exchange.messages) > 1 or _by_the_sdk(step.exchange)


def _same_refused_body(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or status_of(parent) != 400 or not _is_final(parent):
        return
    if step.link.kind == "continues" and _refused_alike(parent, step.exchange):
        yield Finding(
            path=f"$.messages[{step.link.shared}]",
            what=f"the history that exchange {parent.number} was refused for is sent again with more, and is refused "
            f"again{_said(parent)}",
        )
    elif _tries_again(step) and same_request(parent, step.exchange):
        yield Finding(
            path="$",
            what=f"the body that exchange {parent.number} was refused for is sent again as it was{_said(parent)}",
        )


def _refused_alike(before: Exchange, now: Exchange) -> bool:
    """Whether two requests were refused in the same words, which name a message."""
    texts = [str((exchange.error or {}).get("message")) for exchange in (before, now)]
    return texts[0] == texts[1] and "messages." in texts[0] and status_of(now) == 400


def _said(exchange: Exchange) -> str:
    message = str((exchange.error or {}).get("message") or "")
    return f" ({message if len(message) <= 80 else message[:79] + '…'})" if message else ""


def _final_tried_again(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or not _tries_again(step) or not _is_final(parent) or _spend_limit(parent):
        return
    if same_request(parent, step.exchange):
        status = status_of(parent)
        yield Finding(
            path="$",
            what=f"exchange {parent.number} failed with {status}, which trying again does not mend",
            values={"status": status},
            same_as=("poisoned-history-not-resent",) if status == 400 else (),
        )


def _given_up_at_once(view: EndView) -> Iterator[Finding]:
    """A loop that ended with an error which the SDK would have tried again, without trying once."""
    last = view.last
    if view.how not in ("raised", "returned") or last is None or not last.failed or not is_transient(last):
        return
    if last.retry_of is None and not _by_the_sdk(last) and not _repeats(view):
        status = status_of(last)
        yield Finding(
            path="$response",
            what=f"the loop ended after {'a broken connection' if status is None else f'a {status}'} "
            "without trying once more",
            values={"status": status},
            exchange=last.number,
        )


def _repeats(view: EndView) -> bool:
    newest = view.so_far.newest
    return newest is not None and view.so_far.link(newest).kind == "repeats"


def _grown(step: StepView) -> Iterator[Finding]:
    """What follows a request that failed in passing repeats the end of it."""
    parent, added = step.parent, step.added
    if parent is None or step.link.kind != "continues" or not added or not parent.messages or not is_transient(parent):
        return
    last = parent.messages[-1]
    answered = {str(block.data.get("tool_use_id")) for block in blocks_of(last) if block.type == "tool_result"}
    first = added[0]
    if (isinstance(last, dict) and same_message(first, last)) or (
        answered and answered <= {str(b.data.get("tool_use_id")) for b in blocks_of(first) if b.type == "tool_result"}
    ):
        yield Finding(
            path=f"$.messages[{step.link.shared}]",
            what=f"after exchange {parent.number} failed, its last message is added a second time",
            same_as=("tool-result-duplicate",) if answered else (),
        )


def _changed(step: StepView) -> Iterator[Finding]:
    """Another attempt at a request that failed in passing, with other tools or another system prompt."""
    parent = step.parent
    if parent is None or step.link.kind != "repeats" or not is_transient(parent):
        return
    for member in ("tools", "system"):
        before, now = ((exchange.request or {}).get(member) for exchange in (parent, step.exchange))
        if not (parent.knows(member) and step.exchange.knows(member)) or before is now or same_settings(before, now):
            continue
        yield Finding(path=f"$.{member}", what=f"the new attempt has another {member} than the one that failed")


def _other_results(step: StepView) -> Iterator[Finding]:
    """Another attempt at delivering results, with other results."""
    attempts = step.so_far.followers(step.link.parent) if step.link.parent is not None else []
    if len(attempts) < 2 or len(attempts[-2][0].messages) != len(step.exchange.messages) or not step.results:
        return
    before, _ = attempts[-2]
    if not before.failed or not is_transient(before):
        return
    theirs = {
        str(block.data.get("tool_use_id")): block.data.get("content")
        for message in before.messages[step.link.shared :]
        for block in blocks_of(message)
        if block.type == "tool_result"
    }
    for call in step.calls:
        for block in step.results.get(id_of(call), ()):
            if id_of(call) in theirs and not same_content(theirs[id_of(call)], block.data.get("content")):
                yield Finding(
                    path=f"{block.path}.content",
                    what=f"the result for {id_of(call)} is not the one that failed to arrive with exchange "
                    f"{before.number}: the tool seems to have been run again",
                    place=(block.message, block.position),
                )


def _same_attempt(step: StepView) -> Iterator[Finding]:
    if step.parent is None:
        return
    if step.parent.failed:
        yield from _grown(step)
        yield from _changed(step)
    else:
        yield from _other_results(step)


def _run_for_retry(view: EndView) -> Iterator[Finding]:
    for exchange, call in runs_again(view.exchanges):
        if exchange.failed:
            yield Finding(
                path="$response",
                what=f"{call} was run again after exchange {exchange.number} failed; its result was there already",
                values={"id": call},
                exchange=exchange.number,
            )


def _spend_limit_tried_again(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or not _tries_again(step) or not _spend_limit(parent) or _by_the_sdk(step.exchange):
        return
    if same_body(parent, step.exchange):
        yield Finding(
            path="$",
            what=f"exchange {parent.number} said that the spending limit is reached, and the request is sent again",
        )


def _too_soon(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or step.link.kind != "repeats" or parent.answered_at is None or step.exchange.sent_at is None:
        return
    wanted = _wait_asked_for(parent)
    waited = step.exchange.sent_at - parent.answered_at
    if wanted is not None and waited < wanted * (1 - _SLACK) - _SLACK:
        yield Finding(
            path="$",
            what=f"exchange {parent.number} asked to wait {wanted:g} s; the request is sent again after {waited:.2g} s",
        )


def _wait_asked_for(exchange: Exchange) -> float | None:
    """Seconds; None where no number was given (a date is passed over)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(exchange.response_headers[name]) * unit
        except (KeyError, ValueError):
            continue
    return None


def _hidden(view: EndView) -> Iterator[Finding]:
    last = view.last
    if view.how != "returned" or last is None or view.error or tells_trouble(view.shown):
        return
    if not last.failed or (last.status or 400) < 400 or last.response is not None:
        return  # a stream that broke has rules of its own
    error = (last.error or {}).get("type")
    status = status_of(last)
    what = f"a {status}" if status is not None else "a broken connection"
    yield Finding(
        path="$response",
        what=f"the last request failed with {what}{f' ({error})' if error else ''}, and the loop returned as if "
        "nothing had happened",
        exchange=last.number,
    )


def _is_picture(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in ("image", "document")


_PICTURE_WORDS = ("image", "document", "pdf", "dimension", "too large", "media_type", "exceeds")


def _picture_again(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or step.link.kind not in ("repeats", "continues") or status_of(parent) not in (400, 413):
        return
    text = str((parent.error or {}).get("message")).lower()
    if not any(word in text for word in _PICTURE_WORDS):
        return
    for index, message in enumerate(parent.messages):
        for block in blocks_of(message, index):
            nested = block.data.get("content")
            if _is_picture(block.data) or any(map(_is_picture, nested if isinstance(nested, list) else ())):
                yield Finding(
                    path=block.path,
                    what=f"exchange {parent.number} was refused{_said(parent)}, and what it held is sent again",
                )
                return


RULES = (
    Rule(
        id="poisoned-history-not-resent",
        level="broken",
        fix="mend what the API names, or stop: a request that was refused with 400 will be refused again",
        step=_same_refused_body,
        after=("failed",),
    ),
    Rule(
        id="retry-transient-only",
        level="broken",
        fix=(
            "try again after 408, 409, 429, 500 and above and broken connections, a few times and with pauses; let "
            "every other error through (the SDK does both)"
        ),
        step=_final_tried_again,
        after=("failed",),
        end=_given_up_at_once,
    ),
    Rule(
        id="retry-same-body",
        level="broken",
        fix="keep the request and send that again: build history and results once, outside of what is tried again",
        step=_same_attempt,
        after=("failed", "tool_use", "unsaid"),
    ),
    Rule(
        id="no-reexecution-on-retry",
        level="broken",
        fix="run the tools before, and outside of, what is tried again; keep the result of {id} for every attempt",
        end=_run_for_retry,
    ),
    Rule(
        id="spend-cap-429-not-retried",
        level="broken",
        fix="stop and say that the spending limit is reached; only a new month or a higher limit helps",
        step=_spend_limit_tried_again,
        after=("failed",),
    ),
    Rule(
        id="retry-after-honoured",
        level="broken",
        fix="wait as long as `retry-after` or `retry-after-ms` says before trying again (the SDK does)",
        step=_too_soon,
        after=("failed",),
    ),
    Rule(
        id="api-error-surfaced",
        level="broken",
        fix="let the error through, or tell the caller in what is returned that the request failed",
        end=_hidden,
    ),
    Rule(
        id="images-poison-history",
        level="warn",
        fix="make the image or document smaller, or put a note in its place, before asking again",
        step=_picture_again,
        after=("failed",),
        holding=("image", "document"),
    ),
)
