"""Whether a text in the form of a secret may be one, or is a stand-in, a word or a piece of code.

Law: pure tests of one text; they know no pattern. Where the form alone is proof (a vendor's prefix) only plain
stand-ins are let go; where only a name next to it speaks (`password = ...`), the text must look made by a machine or
chosen as a password. No expression tries a text in more than one way: runs are possessive.
"""

from __future__ import annotations

import base64
import re

_BLANKED = re.compile(r"(?:[A-Za-z0-9]{1,12}[-_.])*[A-Z]{0,4}(?:[xX]{6,}|[*.…•_-]{3,}|0{8,}|\.\.\.)")
"""`sk-ant-api03-xxxxxxxx`, `AKIAXXXXXXXXXXXXXXXX`, `ghp_****`."""

_WORDED = re.compile(r"[a-z]{1,12}+(?:\d\d)?+(?:[-_.][a-z]{1,12}+(?:\d\d)?+)*+", re.IGNORECASE)
_ASKING = re.compile(r"your|here|insert|replace|placeholder|redacted|change.?me|fill.?in|goes|todo", re.IGNORECASE)
"""`sk-ant-your-key-here`: words only, some of which ask for the key."""

_TEMPLATE = re.compile(r"\$|%[(s]|%%|[<{\[(]|[#@]\{|.*?(?:\$\{|\$\(|\{\{|<[a-z_ -]{1,40}>|\.\.\.|…|\*{3})", re.DOTALL)
_REFERENCE = re.compile(r"[A-Za-z_]\w*+(?:(?:\.|::|->)[A-Za-z_]\w*+)++")
"""`os.environ`, `settings.api_key`."""

_NAME = re.compile(r"[-_ ./:]*+[A-Za-z]++(?:[-_ ./:]++[A-Za-z]++)*+\d?|[A-Z]+\d*+(?:-[A-Z]+\d*+)++")
"""`get_token`, `password1`, `AWS4-HMAC-SHA256`."""

_PATH = re.compile(r"[.~]{0,2}/[\w./-]*|https?:.*", re.DOTALL)
_SHORT_HEX = re.compile(r"[0-9a-f]{1,23}|[0-9A-F]{1,23}")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_NO_PASSWORDS = frozenset(
    "password passwd pass pwd passphrase secret token user username none null true false undefined string".split()
)


def any_text(text: str) -> bool:
    """Whatever is no plain stand-in."""
    if _BLANKED.fullmatch(text):
        return False
    return not (_WORDED.fullmatch(text) and _ASKING.search(text))


def mixed(text: str) -> bool:
    """Has a digit, or letters of both cases: what a prefix begins might else be an ordinary word."""
    tail = text.partition("_")[2] or text
    return any_text(text) and (any(map(str.isdigit, tail)) or (tail != tail.lower() and tail != tail.upper()))


def has_random_run(text: str) -> bool:
    """Has 16 letters and digits in a row, both of them: `sk-proj-...`, and not `sk-learn-compatible-estimators`."""
    return any_text(text) and any(_is_random(run) for run in _RUN.findall(text))


def _is_random(run: str) -> bool:
    return not run.isalpha() and not run.isdigit()


def generated(text: str) -> bool:
    """Looks made by a machine: letters and at least two digits, no template, name, path, version or short checksum."""
    if not any_text(text) or _TEMPLATE.match(text) or _is_code(text) or _SHORT_HEX.fullmatch(text):
        return False
    return sum(map(str.isdigit, text)) >= 2 and any(map(str.isalpha, text))


def chosen(text: str) -> bool:
    """Looks like a password that somebody chose: letters, and digits or marks among them."""
    if not any_text(text) or _TEMPLATE.match(text) or _is_code(text) or text.lower() in _NO_PASSWORDS:
        return False
    return any(map(str.isalpha, text)) and not text.replace("_", "").isalpha()


def _is_code(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_REFERENCE, _NAME, _PATH))


def in_url(text: str) -> bool:
    """A password in a URL: anything but a template or the word `password`."""
    return any_text(text) and not _TEMPLATE.match(text) and text.lower() not in _NO_PASSWORDS


def user_and_password(text: str) -> bool:
    """Base64 of `user:password`, as `Authorization: Basic` carries it."""
    if len(text) % 4:
        return False  # Python forgives superfluous padding
    try:
        plain = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return b":" in plain and plain.isascii() and plain.decode().isprintable()
