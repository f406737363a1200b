"""Secrets of our own making, obviously fake and of every form that is known. Not tests themselves.

Each is put together from parts, so that scanners of source code do not take this file for a leak.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from types import MappingProxyType

_MIXED = "F4keS3cretT0planTaNdF1ndAga1nWh3r3Ev3r1tSt4ndsN0tAReal0neAtAll7"
_HEX = "fa4e5ec2e7b0075ca1ab1e0ddba11cafe0ff1ceb1a5edf00d15fee1de3dfa4e0"
_UPPER = "F4KE5ECRET7OPL4NT4NDF1ND4G41NWH3R3V3R1T5T4ND5N0T4RE4L0NE4T4LL"


def _mixed(length: int) -> str:
    return (_MIXED * (length // len(_MIXED) + 1))[:length]


def _key_lines(count: int) -> list[str]:
    lines = (f"{number:02} no key at all, planted in a test of ours" for number in range(count))
    return [base64.b64encode(line.encode()).decode() for line in lines]


PRIVATE_KEY = "\n".join(
    ("-----BEGIN " + "RSA PRIVATE KEY-----", *_key_lines(4), "bm90Cg==", "-----END RSA " + "PRIVATE KEY-----")
)
OPENSSH_KEY = "\n".join(
    ("-----BEGIN " + "OPENSSH PRIVATE KEY-----", *_key_lines(3), "-----END OPENSSH " + "PRIVATE KEY-----")
)

SECRETS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic api03": "sk-" + "ant-api03-" + _mixed(93) + "AA",
        "anthropic admin": "sk-" + "ant-admin01-" + _mixed(93) + "AA",
        "anthropic oauth": "sk-" + "ant-oat01-" + _mixed(60),
        "anthropic refresh": "sk-" + "ant-ort01-" + _mixed(60),
        "anthropic session": "sk-" + "ant-sid01-" + _mixed(60),
        "anthropic old": "sk-" + "ant-" + _mixed(40),
        "openai": "sk-" + _mixed(48),
        "openai project": "sk-" + "proj-" + _mixed(60),
        "openrouter": "sk-" + "or-v1-" + _HEX,
        "aws key id": "AK" + "IA" + _UPPER[:16],
        "aws temporary key id": "AS" + "IA" + _UPPER[3:19],
        "bedrock key": "AB" + "SK" + _mixed(109) + "=",
        "github personal": "gh" + "p_" + _mixed(36),
        "github oauth": "gh" + "o_" + _mixed(36),
        "github user": "gh" + "u_" + _mixed(36),
        "github server": "gh" + "s_" + _mixed(36),
        "github refresh": "gh" + "r_" + _mixed(76),
        "github installation": "gh" + "s_123456_eyJ" + _mixed(40) + ".eyJ" + _mixed(40) + "." + _mixed(43),
        "github fine-grained": "github" + "_pat_" + _mixed(22) + "_" + _mixed(59),
        "gitlab": "gl" + "pat-" + _mixed(20),
        "slack bot": "xo" + "xb-123456789012-1234567890123-" + _mixed(24),
        "slack user": "xo" + "xp-123456789012-123456789012-" + _HEX[:32],
        "slack app": "xa" + "pp-1-A0123456789-1234567890123-" + _HEX,
        "google api key": "AI" + "za" + _mixed(35),
        "gemini key": "AQ." + "Ab8" + _mixed(48),
        "google oauth": "ya29" + ".a0" + _mixed(120),
        "google client secret": "GOC" + "SPX-" + _mixed(28),
        "stripe live": "sk_" + "live_" + _mixed(24),
        "stripe restricted": "rk_" + "test_" + _mixed(24),
        "npm": "np" + "m_" + _mixed(36),
        "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + _mixed(80),
        "hugging face": "h" + "f_" + "NotARealTokenOfHuggingFaceAtAllPlanted"[:34],
        "jwt": ".".join(
            base64.urlsafe_b64encode(part).decode().rstrip("=")
            for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"nobody","iat":1500000000}', b"no signature, planted")
        ),
        "groq": "gs" + "k_" + _mixed(52),
        "xai": "xa" + "i-" + _mixed(80),
        "perplexity": "pp" + "lx-" + _mixed(48),
        "replicate": "r8" + "_" + _mixed(37),
        "langsmith": "ls" + "v2_pt_" + _HEX[:32] + "_" + _HEX[:10],
        "sendgrid": "SG" + "." + _mixed(22) + "." + _mixed(43),
        "twilio": "S" + "K" + _HEX[:32],
        "digitalocean": "do" + "p_v1_" + _HEX,
        "shopify": "shp" + "at_" + _HEX[:32],
        "databricks": "da" + "pi" + _HEX[:32],
        "telegram": ":AA" + _mixed(33),
        "vault": "hv" + "s." + _mixed(90),
        "age": "AGE-SECRET-" + "KEY-1" + _UPPER[:58],
        "private key": PRIVATE_KEY,
        "openssh key": OPENSSH_KEY,
    }
)
"""Secrets that are told by themselves, by what they are."""

IN_CONTEXT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "aws secret in ini": ("aws_secret_access_key = %s", "wJ4lrXUtnFEMI/K7MDENG/bPxRf1CYNOTAREALK1"),
        "aws secret in json": ('{"SecretAccessKey": "%s"}', "N0tAReal/S3cret+AccessKeyPlantedInATest1"),
        "aws session token": ("export AWS_SESSION_TOKEN=%s", "IQoJb3JpZ2luX2VjE" + _mixed(200) + "=="),
        "bearer": ("curl -H 'Authorization: Bearer %s'", _mixed(32)),
        "basic": ("Authorization: Basic %s", base64.b64encode(b"nobody:hunter2hunter2").decode()),
        "slack webhook": ("https://hooks.slack" + ".com/services/%s", "T0FAKE000/B0FAKE000/" + _mixed(24)),
        "password in a url": ("postgres://admin:%s@db.example.com:5432/app", "hunter2"),
        "token in a url": ("git clone https://%s@git.example.com/a/b.git", _mixed(40)),
        "query api key": ("GET https://api.example.com/v1?api_key=%s&page=2", _mixed(24)),
        "query token": ("https://example.com/x?page=1&token=%s", _mixed(24)),
        "aws presigned": ("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=%s", _HEX),
        "azure sas": ("https://a.blob.core.windows.net/c?sv=2022-11-02&sig=%s", "F4ke%2BS1gnature%2FOf4zur3Planted%3D"),
        "azure storage": ("AccountName=a;AccountKey=%s;EndpointSuffix=core", _mixed(86) + "=="),
        "password in yaml": ("db:\n  password: %s\n", "Tr0ub4dor&3"),
        "password in env": ("DB_PASSWORD=%s\n", "c0rrect-h0rse"),
        "password in json": ('{"user": "a", "password": "%s"}', "Sp3ak-Fr1end!"),
        "client secret": ("client_secret: '%s'", _mixed(32)),
        "api key in a header": ("curl -H 'x-api-key: %s' https://example.com", _HEX[:40]),
        "key in env": ("OPENWEATHER_API_KEY=%s", _HEX[:32]),
        "long token in json": ('{"refreshToken":"%s"}', "aor" + _mixed(2500)),
        "token in code": ('access_token = "%s"', _mixed(40)),
        "cookie": ("Cookie: %s", "session=" + _mixed(40)),
        "authorization": ("{'Authorization': '%s'}", _HEX[:40]),
    }
)
"""Texts around secrets that are told by what stands next to them, and these."""
