"""Texts that look like secrets to a hasty eye, and are none. Not tests themselves."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from types import MappingProxyType

_SHA256 = hashlib.sha256(b"harmless").hexdigest()
_SIGNATURE = base64.b64encode(hashlib.shake_256(b"signature").digest(400)).decode()
_PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + hashlib.shake_256(b"picture").digest(6000)).decode()

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "a tool call's id": "toolu_01A09q90qw90lq917835lq9",
        "a server tool call's id": "srvtoolu_01HPsDBWNHRDdLBmwBrRBDCw",
        "a message's id": "msg_01XFDUDYJgAACzvnptvVoYEL",
        "a request's id": "req_011CSHoEeqs5C35K2UUqR7Fy",
        "a container's id": "container_011CPR5CNjB747bTd36fQLFk",
        "a file's id": "file_011CNha8iCJcU1wXNR6q4V8w",
        "a batch's id": "msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d",
        "a uuid": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "a git commit": "commit 167ac2e3b1f0d9a8c7e6f5a4b3c2d1e0f9a8b7c6",
        "a checksum": f"sha256:{_SHA256}  playhead-0.1.0.tar.gz",
        "a lock file": f'{{"integrity": "sha512-{_SIGNATURE[:86]}=="}}',
        "a signature": _SIGNATURE,
        "a picture": _PICTURE,
        "a data url": f"data:image/png;base64,{_PICTURE}",
        "prose on sk-ants": "In this tale the sk-ants are insects, and sk-ant-hills are where they live.",
        "prose on scikit": "sk-learn-compatible-estimators-for-time-series, sk-learn-0-24-migration-guide-for-all",
        "css": ".sk-fading-circle .sk-circle12:before { animation-delay: -0.1s } .sk-cube-grid-of-nine-cubes {}",
        "words that end in sk": "task-0123456789abcdef01234567, disk-0123456789abcdefghij, risk-a1b2c3d4e5f6a7b8c9",
        "code that gets a token": "token = get_token()\nsecret = os.environ['SECRET']\npassword = getpass.getpass()",
        "code with annotations": "def login(user: str, password: SecretStr, api_key: Optional[str] = None): ...",
        "code with settings": "api_key = settings.anthropic.api_key_2\naccess_token=self.client2.access_token2",
        "code that calls": 'headers = {"Authorization": f"Bearer {token}", "x-api-key": api_key}',
        "environment": "export API_KEY=$ANTHROPIC_API_KEY\nPASSWORD=${DB_PASSWORD:-none}\nTOKEN=$(cat token.txt)",
        "workflow": "token: ${{ secrets.GITHUB_TOKEN }}\napi_key: {{ .Values.apiKey }}",
        "documentation": "Set ANTHROPIC_API_KEY=your-api-key-here, or sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx",
        "documentation on keys": "keys look like sk-ant-api03-... or sk-ant-your-api-key-here or <your-api-key>",
        "masked": "x-api-key: [REDACTED], authorization: Bearer ********************, password: **********",
        "a schema": '{"password": {"type": "string", "minLength": 8}, "api_key": {"type": "string"}}',
        "a schema's words": "password: string, token: required, secret: optional, api_key: alphanumeric",
        "token counts": '{"max_tokens": 1024, "input_tokens": 1234567890123456, "cache_read_input_tokens": 0}',
        "a tokenizer": "eos_token: <|endoftext|>, pad_token_id = 50256, next_page_token: CAUQAA, stop_token='</s>'",
        "prose on bearers": "Bearer authentication is described in RFC 6750; the bearer of this letter is my friend.",
        "prose on basic": "Basic functionality and basic authentication; BASIC programs; Basic usage1234",
        "urls": "https://example.com/a/b?page=2&key=name&token=abc https://user@example.com http://localhost:8080/@me",
        "a template url": "postgres://user:${PASSWORD}@host/db, https://user:<password>@host, ftp://a:password@h",
        "an ssh url": "git@github.com:acme/app.git ssh://git@github.com/acme/app.git",
        "a public key": "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34Gk\n-----END PUBLIC KEY-----",
        "prose on keys": "A PEM file begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
        "a model": "claude-sonnet-4-5-20250929, us.anthropic.claude-3-5-sonnet-20241022-v2:0",
        "an arn": "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0",
        "a role's id": "AROAQWERTYUIOPASDF12 AIDAQWERTYUIOPASDF12",
        "a dotted path": "eyJson.parse(a).then, org.example.hooks.slack.Handler, SG.Core.Types",
        "a cookie law": "cookie: yes, cookies: no; Cookie policy: we use a=1",
        "shell colours": "\x1b[32mPASS\x1b[0m tests/test_keys.py::test_sk_live_is_not_here",
        "headers": "anthropic-version: 2023-06-01, Authorization: AWS4-HMAC-SHA256",
        "a resource table": '{"AWS::IAM::AccessKey": "62d91b17309e76c8", "AWS::MSK::Secret": "c85175a4ebcce361"}',
        "an image url": "https://cdn.example.com/v1/fill/w_600,h_400/image-0123456789abcdef0123456789abcdef.png?sig=v2",
        "other languages": "密码：请输入您的密码。 パスワード: 8文字以上 · пароль: не менее 8 символов",
    }
)
"""Texts in which nothing must be found."""
