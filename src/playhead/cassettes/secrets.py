"""The forms that secrets have: a table of patterns.

Law: data. A pattern says what a secret looks like and where that is told; `scanning` searches for them.

Every regular expression runs in linear time: a run without an end is possessive or stands last, everything else has a
bound. None matches U+0000, which separates texts that are searched together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playhead.cassettes.plausible import (
    any_text,
    chosen,
    generated,
    has_random_run,
    in_url,
    mixed,
    user_and_password,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One form of secret.

    `name` is lower-case words joined by hyphens, and stands in the placeholder. `regex` is a regular expression of
    `re`; the last of its named groups to match is the secret, or the whole match. `source` says where the form is
    told. `is_secret` has the last word on a secret that was matched.

    What follows makes it fast. Each match contains one of the `anchors`, in any case; they are written in lower case.
    With `in_run` it contains one in the case it has, within 20 or more letters, digits, `-` and `_` in a row and the
    8 characters before them. `near` matches what stands right behind the anchor, in the same case; a match that is not
    `in_run` then begins with the anchor. A pattern without anchors is tried on every text. `named` says that a name
    next to the secret is what tells it, so that it is also tried on a JSON member together with its key.
    """

    name: str
    regex: str
    source: str = ""
    anchors: tuple[str, ...] = ()
    in_run: bool = False
    near: str = ""
    named: bool = False
    is_secret: Callable[[str], bool] = any_text


def _begins(*prefixes: str) -> str:
    """One of these prefixes, all of one length, where a word begins: after an escaped line break and a colour as well.

    The prefix comes first and what stands before it after, so that a search jumps from one to the next.
    """
    width = f".{{{len(prefixes[0])}}}"
    colours = "|".join(rf"(?<={code}m{width})" for code in (r"\[", r"[\[;]\d", r"[\[;]\d\d"))
    starts = rf"(?<![A-Za-z0-9]{width})|(?<=\\[nrt]{width})|{colours}"
    return f"(?:{'|'.join(map(re.escape, prefixes))})(?:{starts})"


_END = r"(?![A-Za-z0-9])"

_GITLEAKS = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml"
_GITHUB = "https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns"

# name, what it begins with (several of one length, separated by blanks), what follows, source
_BY_PREFIX: tuple[tuple[str, str, str, str], ...] = (
    ("groq-key", "gsk_", r"[A-Za-z0-9]{40,}", _GITHUB),
    ("xai-key", "xai-", r"[A-Za-z0-9]{60,}", _GITHUB),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}", _GITLEAKS),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{30,}", _GITHUB),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[a-f0-9]{32}_[a-f0-9]{8,}", _GITHUB),
    ("tavily-key", "tvly-", r"[A-Za-z0-9_-]{20,}", "https://docs.tavily.com/documentation/quickstart"),
    ("pinecone-key", "pcsk_", r"[A-Za-z0-9_]{40,}", _GITHUB),
    ("nvidia-key", "nvapi-", r"[A-Za-z0-9_-]{40,}", _GITHUB),
    ("cerebras-key", "csk-", r"[a-z0-9]{40,}", "https://inference-docs.cerebras.ai/quickstart"),
    ("together-key", "tgp_v1_", r"[A-Za-z0-9_-]{40,}", "https://docs.together.ai/docs/quickstart"),
    ("elevenlabs-key", "sk_", r"[a-f0-9]{48}", _GITHUB),
    ("e2b-key", "e2b_", r"[a-f0-9]{40}", "https://e2b.dev/docs"),
    ("firecrawl-key", "fc-", r"[a-f0-9]{32}", "https://docs.firecrawl.dev/introduction"),
    ("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9+/=_]{40,}", _GITLEAKS),
    ("figma-token", "figd_", r"[A-Za-z0-9_-]{30,}", _GITHUB),
    ("postman-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}", _GITLEAKS),
    ("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", _GITLEAKS),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{64}", _GITLEAKS),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[A-Fa-f0-9]{32}", _GITLEAKS),
    ("databricks-token", "dapi", r"[a-f0-9]{32}(?:-\d)?", _GITLEAKS),
    ("docker-token", "dckr_pat_ dckr_oat_", r"[A-Za-z0-9_-]{20,}", _GITHUB),
    ("linear-key", "lin_api_", r"[A-Za-z0-9]{40,}", _GITLEAKS),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{40,}", _GITLEAKS),
    ("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{100,}", _GITLEAKS),
    ("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}", _GITLEAKS),
    ("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,}", _GITLEAKS),
    ("new-relic-key", "NRAK-", r"[A-Z0-9]{27}", _GITLEAKS),
    ("heroku-key", "HRKU-", r"[A-Za-z0-9_-]{36,}", _GITLEAKS),
    ("twilio-key", "SK", r"[0-9a-f]{32}", _GITLEAKS),
    ("mailgun-key", "key-", r"[0-9a-f]{32}", _GITLEAKS),
    ("supabase-key", "sbp_", r"[a-f0-9]{40}", _GITHUB),
    ("supabase-key", "sb_secret_", r"[A-Za-z0-9_-]{20,}", _GITHUB),
    ("rubygems-key", "rubygems_", r"[a-f0-9]{48}", _GITLEAKS),
    ("pulumi-token", "pul-", r"[a-f0-9]{40}", _GITLEAKS),
)

_VENDORS = tuple(
    Pattern(
        name=name,
        regex=f"{_begins(*prefixes.split())}{rest}{_END}",
        source=source,
        anchors=tuple(prefixes.split()),
        in_run=True,
        # these stand in many runs
        near=rest if prefixes in ("SK", "key-", "fc-", "sk_", "dapi", "sk-") else "",
    )
    for name, prefixes, rest, source in _BY_PREFIX
)

_BEDROCK = "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-reference.html"
_GITLAB = tuple(f"gl{kind}-" for kind in "pat dt rt rtr cbt ptt ft imt agent oas soat ffct wt".split())
_INSTALLATION = (
    "https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/"
    "generating-an-installation-access-token-for-a-github-app"
)

_KNOWN_FORMS = (
    Pattern(
        name="anthropic-key",
        regex=r"sk-ant-(?:[a-z]{2,12}\d{2}-[A-Za-z0-9_-]{10,}|[A-Za-z0-9_-]{16,})",
        source=_GITLEAKS,
        anchors=("sk-ant-",),
        in_run=True,
    ),
    Pattern(
        name="api-key",
        regex=_begins("sk-") + r"[A-Za-z0-9_-]{17,}",
        source="https://platform.openai.com/docs/api-reference/authentication",
        anchors=("sk-",),
        in_run=True,
        is_secret=has_random_run,
    ),
    Pattern(
        name="aws-access-key-id",
        regex=_begins("AKIA", "ASIA", "ABIA", "ACCA") + r"[A-Z0-9]{16}" + _END,
        source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
        anchors=("AKIA", "ASIA", "ABIA", "ACCA"),
        in_run=True,
    ),
    Pattern(
        name="bedrock-api-key",
        regex=_begins("ABSK") + r"[A-Za-z0-9+/]{80,}={0,2}",
        source=_BEDROCK,
        anchors=("ABSK",),
        in_run=True,
    ),
    Pattern(
        name="bedrock-api-key",
        regex=r"bedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}",
        source=_BEDROCK,
        anchors=("bedrock-api-key-",),
        in_run=True,
    ),
    Pattern(
        name="github-token",
        regex=r"(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}",
        source="https://github.blog/changelog/2021-03-31-authentication-token-format-updates-are-generally-available",
        anchors=("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        # since 2026 an installation token may be a JWT behind its prefix
        name="github-token",
        regex=r"ghs_[A-Za-z0-9_-]{16,1000}+\.[A-Za-z0-9_-]{6,4000}+\.[A-Za-z0-9_-]{6,}",
        source=_INSTALLATION,
        anchors=("ghs_",),
        in_run=True,
    ),
    Pattern(
        name="github-token",
        regex=r"github_pat_[A-Za-z0-9_]{22,}",
        source="https://github.blog/changelog/2022-10-18-introducing-fine-grained-personal-access-tokens",
        anchors=("github_pat_",),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="gitlab-token",
        regex=rf"(?:{'|'.join(_GITLAB)}|GR1348941)[A-Za-z0-9_-]{{20,}}(?:\.[A-Za-z0-9]{{1,16}}){{0,3}}",
        source="https://docs.gitlab.com/security/tokens/#token-prefixes",
        anchors=(*_GITLAB, "GR1348941"),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="slack-token",
        regex=r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9%/+=-]{15,}",
        source="https://api.slack.com/concepts/token-types",
        anchors=("xox",),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="slack-token",
        regex=r"xapp-\d-[A-Za-z0-9-]{20,}",
        source="https://api.slack.com/concepts/token-types",
        anchors=("xapp-",),
        in_run=True,
    ),
    Pattern(
        name="slack-webhook",
        regex=r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_+-]{20,})",
        source="https://api.slack.com/messaging/webhooks",
        anchors=("hooks",),
        near=r"\.slack",
    ),
    Pattern(
        name="discord-webhook",
        regex=r"hooks/(?<=/webhooks/)(?P<secret>\d{16,20}/[A-Za-z0-9_-]{50,})",
        source="https://discord.com/developers/docs/resources/webhook",
        anchors=("hooks",),
        near=r"/\d{16}",
    ),
    Pattern(
        name="google-api-key",
        regex=_begins("AIza") + r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
        source="https://cloud.google.com/docs/authentication/api-keys",
        anchors=("AIza",),
        in_run=True,
    ),
    Pattern(
        name="google-api-key",
        regex=_begins("AQ.Ab") + r"[A-Za-z0-9_-]{30,}",
        source="https://ai.google.dev/gemini-api/docs/api-key",
        anchors=("AQ.Ab",),
        in_run=True,
    ),
    Pattern(
        name="google-oauth-token",
        regex=_begins("ya29.") + r"[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{6,}+)*+",
        source=_GITHUB,
        anchors=("ya29.",),
        in_run=True,
    ),
    Pattern(
        name="google-oauth-token",
        regex=r"GOCSPX-[A-Za-z0-9_-]{20,}",
        source=_GITHUB,
        anchors=("GOCSPX-",),
        in_run=True,
    ),
    Pattern(
        name="google-oauth-token",
        regex=_begins("1//0") + r"[A-Za-z0-9_-]{30,}",
        source=_GITHUB,
        anchors=("1//0",),
        in_run=True,
    ),
    Pattern(
        name="stripe-key",
        regex=_begins(*(f"{kind}k_{use}_" for kind in "sr" for use in ("live", "test", "prod"))) + r"[A-Za-z0-9]{12,}",
        source="https://docs.stripe.com/keys",
        anchors=("k_live_", "k_test_", "k_prod_"),
        in_run=True,
    ),
    Pattern(
        name="stripe-key",
        regex=_begins("whsec_") + r"[A-Za-z0-9+/]{24,}={0,2}",
        source="https://docs.stripe.com/webhooks",
        anchors=("whsec_",),
    ),
    Pattern(
        name="npm-token",
        regex=_begins("npm_") + r"[A-Za-z0-9]{30,}",
        source="https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/",
        anchors=("npm_",),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="pypi-token",
        regex=r"pypi-[A-Za-z0-9_-]{40,}",
        source=_GITHUB,
        anchors=("pypi-",),
        in_run=True,
        is_secret=has_random_run,
    ),
    Pattern(
        name="huggingface-token",
        regex=rf"(?:{_begins('hf_')}|{_begins('api_org_')})[A-Za-z0-9]{{30,}}",
        source="https://huggingface.co/docs/hub/security-tokens",
        anchors=("hf_", "api_org_"),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="sendgrid-key",
        regex=_begins("SG.") + r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
        source=_GITLEAKS,
        anchors=("SG.",),
        in_run=True,
    ),
    Pattern(
        name="vault-token",
        regex=_begins("hvs.", "hvb.", "hvr.") + r"[A-Za-z0-9_-]{24,}",
        source="https://developer.hashicorp.com/vault/docs/concepts/tokens",
        anchors=("hvs.", "hvb.", "hvr."),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="telegram-bot-token",
        regex=r":AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])",
        source="https://core.telegram.org/bots/api#authorizing-your-bot",
        anchors=(":AA",),
        in_run=True,
        is_secret=mixed,
    ),
    Pattern(
        name="azure-storage-key",
        regex=r"(?:key|Key|KEY)=(?<=[aA]ccount.{4})(?P<secret>[A-Za-z0-9+/]{60,}={0,2})",
        source="https://learn.microsoft.com/en-us/azure/storage/common/storage-configure-connection-string",
        anchors=("key",),
        near=r"=[a-z0-9+/]{60}",
    ),
    Pattern(
        name="jwt",
        # the second form is encrypted: five parts, of which the second may be empty
        regex=_begins("eyJ") + r"[A-Za-z0-9_-]{10,1000}+\.(?:eyJ[A-Za-z0-9_-]{5,16000}+\.[A-Za-z0-9_-]{10,}"
        r"|[A-Za-z0-9_-]{0,1000}+\.[A-Za-z0-9_-]{10,100}+\.[A-Za-z0-9_-]{10,16000}+\.[A-Za-z0-9_-]{10,})",
        source="https://www.rfc-editor.org/rfc/rfc7519",
        anchors=("eyJ",),
        in_run=True,
    ),
)

# between the lines of a key: line breaks, escaped or not, quotes and commas of a list, arrows and numbers of a listing
_BREAK = r"(?>\\+[nrt]|[\s\"'`,;>|→\\])"
_NUMBER = r"(?:\d{1,6}(?:\\+t|[→\t:|.])\s{0,8}+)?"
_LINE = r"[A-Za-z0-9+/=]"
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_BREAK}++{_NUMBER}[A-Z][A-Za-z-]{{2,30}}: [^\n\\\x00]{{1,100}}+)*+"
    rf"(?:{_BREAK}++{_NUMBER}{_LINE}{{16,}}+)++"
    rf"(?:{_BREAK}++{_NUMBER}{_LINE}{{1,63}}+)?+"
    rf"(?:{_BREAK}*+{_NUMBER}-----END [A-Z0-9 ]{{1,60}}-----)?+"
)

_CWE_798 = "https://cwe.mitre.org/data/definitions/798.html"
_CWE_598 = "https://cwe.mitre.org/data/definitions/598.html"
_USER_INFO = "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1"

# a name, what may stand behind it, and the value that it names; a quote may be escaped, several times in nested JSON
_IS = r"[\"'`\\\]]{0,6}[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}"
_OF_WORD = r"[A-Za-z0-9_+/=.~!?@#$^*|:%%-]"
_VALUE = (
    r"(?:(?P<quote>\\{0,4}[\"'`])(?P<quoted>[^\s\"'`\\\x00]{%d,3000}+)(?P=quote)"
    # an ampersand ends it only where another parameter follows
    rf"|(?=(?:{_OF_WORD}|&){{%d}})(?P<bare>{_OF_WORD}{{1,3000}}+(?:&(?![A-Za-z_]{{1,30}}=){_OF_WORD}{{1,3000}}+){{0,4}}+)"
    r"(?=[\\\"'`,;&}\])<]|[^!-~]|$))"
)
_NEAR = r"[\"'`\\\]]{0,6}[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}\\{0,4}[\"'`]?[^\s\"'`\\\x00]{%d}"


URL_PARAMETERS = (
    r"(?:api|auth)?[_-]?key|(?:access|refresh|id|auth|private|api)?[_-]?token|auth|secret|sig|signature|client[_-]?secret"
    r"|passw(?:or)?d|jwt|session|code|x-(?:amz|goog)-(?:signature|credential|security-token)"
)
"""The names of URL parameters that carry secrets, in any case."""


def _behind(stem: str, words: str) -> str:
    """One of these words stands before the stem, whatever joins them."""
    return "|".join(f"(?<={word}{joint}{stem})" for word in words.split() for joint in ("", "[_ -]"))


_OF_KEY = "api access auth private secret account subscription encryption signing master storage admin service app"
_OF_TOKEN = "access auth refresh api bearer session security private secret personal deploy oauth bot id jwt github"


def _named(name: str, stem: str, more: str, shortest: int, is_secret: Callable[[str], bool], near: str = "") -> Pattern:
    """A secret that is told by the name before it: a stem, and what else the name must be."""
    return Pattern(
        name=name,
        regex=rf"(?:{stem}|{stem.title()}|{stem.upper()}){more}{_IS}{_VALUE % (shortest, shortest)}",
        source=_CWE_798,
        anchors=(stem,),
        near=near + _NEAR % shortest,
        named=True,
        is_secret=is_secret,
    )


_BY_NAME = (
    Pattern(
        name="aws-secret-access-key",
        regex=r"(?:secret|Secret|SECRET)(?i:[_ -]?(?:access)?[_ -]?key)?[\"'`\\\]]{0,6}[ \t\r\n:=>,]{1,6}\\{0,4}[\"'`]?"
        r"(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
        source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
        anchors=("secret",),
        near=r"(?:[_ -]?(?:access)?[_ -]?key)?[\"'`\\\]]{0,6}[ \t\r\n:=>,]{1,6}\\{0,4}[\"'`]?[a-z0-9+/]{40}",
        named=True,
        is_secret=generated,
    ),
    Pattern(
        name="aws-session-token",
        regex=r"(?:token|Token|TOKEN)(?i:(?<=session.token)|(?<=sessiontoken)|(?<=security.token)|(?<=securitytoken))"
        r"[\"'`\\\]]{0,6}[ \t\r\n:=>,]{1,6}\\{0,4}[\"'`]?(?P<secret>[A-Za-z0-9+/]{100,}={0,2})",
        source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp.html",
        anchors=("token",),
        near=r"[\"'`\\\]]{0,6}[ \t\r\n:=>,]{1,6}\\{0,4}[\"'`]?[a-z0-9+/]{100}",
        named=True,
    ),
    Pattern(
        name="private-key",
        regex=_PRIVATE_KEY,
        source="https://www.rfc-editor.org/rfc/rfc7468",
        anchors=("private key",),
    ),
    Pattern(
        name="bearer-token",
        regex=r"(?:bearer|Bearer|BEARER)(?:[ \t]|\+){1,3}(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})",
        source="https://www.rfc-editor.org/rfc/rfc6750#section-2.1",
        anchors=("bearer",),
        near=r"(?:[ \t]|\+){1,3}[a-z0-9._~+/-]{16}",
        is_secret=generated,
    ),
    Pattern(
        name="basic-credentials",
        regex=r"(?:basic|Basic|BASIC)[ \t]{1,3}(?P<secret>[A-Za-z0-9+/]{6,512}+={0,2})(?![A-Za-z0-9+/=])",
        source="https://www.rfc-editor.org/rfc/rfc7617",
        anchors=("basic",),
        near=r"[ \t]{1,3}(?:[a-z0-9+/]{4})+(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?(?![a-z0-9+/=])",
        is_secret=user_and_password,
    ),
    Pattern(
        name="cookie",
        regex=r"(?:cookie|Cookie|COOKIE)[\"'\\]{0,4}:[ \t]{0,4}\\{0,4}[\"']?(?P<secret>[A-Za-z0-9_.-]{1,64}="
        r"[^\s\"'\\;\x00]{16,4096}+(?:; ?[A-Za-z0-9_.-]{1,64}+=[^\s\"'\\;\x00]{1,4096}+)*+)",
        source="https://www.rfc-editor.org/rfc/rfc6265",
        anchors=("cookie",),
        named=True,
        near=r"[\"'\\]{0,4}:",
    ),
    Pattern(
        name="url-password",
        regex=r"://[^\s/?#:@\"'`<>\\\x00]{0,100}:(?P<secret>[^\s/?#@\"'`<>\\\x00]{3,256})@(?=[A-Za-z0-9\[_%$-])",
        source=_USER_INFO,
        anchors=("://",),
        near=r"[^\s/?#:@\"'`<>\\\x00]{0,100}:[^\s/?#@\"'`<>\\\x00]{3,256}@",
        is_secret=in_url,
    ),
    Pattern(
        name="url-token",
        regex=r"://(?P<secret>[A-Za-z0-9_-]{20,256}+)@",
        source=_USER_INFO,
        anchors=("://",),
        near=r"[a-z0-9_-]{20,256}+@",
        is_secret=has_random_run,
    ),
    Pattern(
        name="url-parameter",
        regex=rf"(?:\?|&)(?i:{URL_PARAMETERS})"
        r"=(?P<secret>[A-Za-z0-9%._~+/-]{12,}={0,2})",
        source=_CWE_598,
        anchors=("?", "&"),
        near=r"[a-z_-]{2,24}=[a-z0-9%._~+/-]{12}",
        is_secret=generated,
    ),
    Pattern(
        # a member of the API's own: the token that Anthropic's servers show to an MCP server
        name="mcp-token",
        regex=r"token(?<=authorization_token)[\"'\\]{0,6}[ \t]{0,4}:[ \t]{0,4}(?P<quote>\\{0,4}[\"'])"
        r"(?P<secret>[^\s\"'\\\x00]{4,500}+)(?P=quote)",
        source="https://platform.claude.com/docs/en/agents-and-tools/mcp-connector",
        anchors=("token",),
        near=r"[\"'\\]{0,6}[ \t]{0,4}:[ \t]{0,4}\\{0,4}[\"']",
        named=True,
        is_secret=in_url,
    ),
    _named("password", "pass", "(?i:w(?:or)?d|phrase)", 8, chosen, near="(?:w(?:or)?d|phrase)"),
    _named("secret-key", "key", rf"(?={_IS})(?i:{_behind('key', _OF_KEY)})", 16, generated),
    _named("secret-token", "token", rf"(?={_IS})(?i:(?<![a-z]token)|{_behind('token', _OF_TOKEN)})", 16, generated),
    _named("secret-value", "secret", "", 16, generated),
    _named("authorization", "authorization", "", 16, generated),
)

PATTERNS: tuple[Pattern, ...] = (*_KNOWN_FORMS, *_VENDORS, *_BY_NAME)
"""Every pattern, the most telling first: where several match the same text, the first gives its name."""
