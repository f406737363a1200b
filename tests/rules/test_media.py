"""The rules on images and documents."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from playhead.rules.checker import Checker, check_request
from playhead.rules.media import RULES
from playhead.rules.models import Model
from playhead.wire.exchange import Exchange

Json = dict[str, Any]
Fault = tuple[str, str, str | None]

# both windows, whatever the table says
SMALL = Model(name="small", context=200_000)
LARGE = Model(name="large", context=1_000_000)


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def png(width: int, height: int = 10) -> str:
    return encode(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\x00\x00\x00")


JPEG = encode(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01")
GIF = encode(b"GIF89a\x05\x00\x05\x00\x00\x00\x00")
WEBP = encode(b"RIFF\x10\x00\x00\x00WEBPVP8 ")


def pdf(pages: int = 1, more: bytes = b"") -> str:
    tree = b"<< /Type /Pages /Count %d >>" % pages + b"<< /Type /Page >>" * pages
    return encode(b"%PDF-1.7\n" + tree + b"trailer << " + more + b" >>\n%%EOF")


def image(data: object = None, kind: object = "image/png", **more: object) -> Json:
    source = {"type": "base64", "media_type": kind, "data": png(10) if data is None else data}
    return {"type": "image", "source": source, **more}


def document(data: object, kind: object = "application/pdf") -> Json:
    return {"type": "document", "source": {"type": "base64", "media_type": kind, "data": data}}


def url(address: object, kind: str = "image") -> Json:
    return {"type": kind, "source": {"type": "url", "url": address}}


def body(*content: object, model: str = "claude-haiku-4-5", **more: object) -> Json:
    return {"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": list(content)}], **more}


def in_result(*content: object) -> Json:
    call = {"type": "tool_use", "id": "toolu_1", "name": "shoot", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": list(content)}
    messages = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    return {**body(), "messages": messages}


def sized(width: int, height: int) -> Json:
    return image(png(width, height), transformations={"oversized_image": "error"})


AT, API = "$.messages[0].content[0].source", "messages.0.content.0"
KINDS = "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
INVALID = f"{API}.pdf.source.base64.data: The PDF specified was not valid."


def media_type(value: object) -> tuple[Json, list[Fault]]:
    wording = f"{API}.image.source.base64.media_type: {KINDS}"
    return body(image("Qk0=", value)), [("image-media-type", f"{AT}.media_type", wording)]


def mismatch(data: str, declared: str, actual: str) -> tuple[Json, list[Fault]]:
    wording = (
        f"{API}.image.source.base64: The image was specified using the {declared} media type, but the image appears to "
        f"be a {actual} image"
    )
    return body(image(data, declared)), [("image-media-type-mismatch", f"{AT}.media_type", wording)]


def unprocessable(data: str) -> tuple[Json, list[Fault]]:
    return body(image(data)), [("image-unprocessable", f"{AT}.data", "Could not process image")]


def too_large(width: int, height: int) -> tuple[Json, list[Fault]]:
    wording = (
        f"{API}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"
    )
    return body(image(png(width, height))), [("image-dimensions", f"{AT}.data", wording)]


def one_of_many(index: int) -> Fault:
    wording = (
        f"messages.0.content.{index}.image.source.base64.data: At least one of the image dimensions exceed max allowed "
        "size for many-image requests: 2000 pixels"
    )
    return "image-dimensions", f"$.messages[0].content[{index}].source.data", wording


def oversized(width: int, height: int, fitting: str, model: str = "claude-haiku-4-5") -> tuple[Json, list[Fault]]:
    wording = (
        f"{API}: image dimensions {width}x{height} exceed the maximum image size of a model named on this request and "
        f"would be downsized to {fitting}; scale the image to at most {fitting} or set the image's oversized_image "
        'setting to "downsize"'
    )
    request = body(sized(width, height), model=model)
    return request, [("image-oversized-error-mode", "$.messages[0].content[0]", wording)]


def unreachable(address: str, kind: str = "image") -> tuple[Json, list[Fault]]:
    wording = "Unable to download the file. Please verify the URL and try again."
    return body(url(address, kind)), [("url-source-unreachable", f"{AT}.url", wording)]


FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "bmp": media_type("image/bmp"),
    "jpg": media_type("image/jpg"),
    "svg": media_type("image/svg+xml"),
    "capital": media_type("image/PNG"),
    "pdf-as-image": media_type("application/pdf"),
    "kind-null": media_type(None),
    "kind-a-list": media_type(["image/png"]),
    "kind-absent": (
        body({"type": "image", "source": {"type": "base64", "data": "Qk0="}}),
        [("image-media-type", AT, f"{API}.image.source.base64.media_type: Field required")],
    ),
    "kind-in-a-result": (
        in_result(image("Qk0=", "image/tiff")),
        [
            (
                "image-media-type",
                "$.messages[2].content[0].content[0].source.media_type",
                f"messages.2.content.0.tool_result.content.0.image.source.base64.media_type: {KINDS}",
            )
        ],
    ),
    "jpeg-as-png": mismatch(JPEG, "image/png", "image/jpeg"),
    "png-as-jpeg": mismatch(png(10), "image/jpeg", "image/png"),
    "gif-as-webp": mismatch(GIF, "image/webp", "image/gif"),
    "webp-as-png": mismatch(WEBP, "image/png", "image/webp"),
    "random-bytes": unprocessable(encode(b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a")),
    "bmp-as-png": unprocessable(encode(b"BM\x36\x00\x00\x00\x00\x00")),
    "data-url": unprocessable("data:image/png;base64," + png(10)),
    "no-base64": unprocessable("<png>"),
    "no-data": unprocessable(""),
    "no-pixels": unprocessable(png(0, 5)),
    "too-wide": too_large(8001, 10),
    "too-high": too_large(10, 9000),
    "one-of-21": (body(image(png(2001)), *[image()] * 20), [one_of_many(0)]),
    "two-of-22-and-urls": (
        body(image(), image(png(10, 2400)), image(png(8000)), *[url("https://example.com/a.png")] * 19),
        [one_of_many(1), one_of_many(2)],
    ),
    "oversized-as-documented": oversized(1920, 1080, "1456x819"),
    "oversized-upright": oversized(1080, 1920, "819x1456", "claude-sonnet-4-6"),
    "oversized-long-side": oversized(3000, 100, "1568x52", "claude-opus-4-5"),
    "oversized-square": oversized(1200, 1200, "1092x1092", "claude-opus-4-1"),
    "localhost": unreachable("http://localhost:8000/a.png"),
    "loopback": unreachable("http://127.0.0.1/a.png"),
    "loopback-6": unreachable("http://[::1]/a.png"),
    "private": unreachable("https://192.168.1.5/a.png"),
    "never-a-name": unreachable("https://unreachable.invalid/i.png"),
    "sub-of-localhost": unreachable("https://app.localhost./a.pdf", "document"),
    "a-path": unreachable("/tmp/a.png"),
    "a-file": unreachable("file:///tmp/a.pdf", "document"),
    "a-data-url": unreachable("data:image/png;base64,AAAA"),
    "no-url": unreachable("http://[half"),
    "empty-url": unreachable(""),
    "pdf-hello": (body(document(encode(b"hello"))), [("pdf-invalid", f"{AT}.data", INVALID)]),
    "pdf-html": (body(document(encode(b"<html></html>" * 200))), [("pdf-invalid", f"{AT}.data", INVALID)]),
    "pdf-no-base64": (body(document("%PDF-1.4 ...")), [("pdf-invalid", f"{AT}.data", INVALID)]),
    "pdf-empty": (body(document("")), [("pdf-invalid", f"{AT}.data", "PDF cannot be empty")]),
    "pdf-encrypted": (
        body(document(pdf(1, b"/Encrypt 9 0 R"))),
        [("pdf-invalid", f"{AT}.data", "The PDF specified is password protected")],
    ),
    "pdf-in-a-result": (
        in_result(document(encode(b"hello"))),
        [
            (
                "pdf-invalid",
                "$.messages[2].content[0].content[0].source.data",
                "messages.2.content.0.tool_result.content.0.pdf.source.base64.data: The PDF specified was not valid.",
            )
        ],
    ),
}

OK: dict[str, Json] = {
    "png": body(image()),
    "jpeg": body(image(JPEG, "image/jpeg")),
    "gif": body(image(GIF, "image/gif")),
    "webp": body(image(WEBP, "image/webp")),
    "png-cut-after-its-signature": body(image("iVBORw0KGgo=")),
    "png-of-one-pixel": body(image(png(1, 1))),
    "png-in-lines": body(image("\n".join([png(10)[:20], png(10)[20:]]))),
    "in-a-result": in_result(image(), {"type": "text", "text": "a"}),
    "8000": body(image(png(8000, 8000))),
    "20-of-2001": body(*[image(png(2001))] * 20),
    "21-of-2000": body(*[image(png(2000, 2000))] * 21),
    "fitting": body(sized(1456, 819)),
    "fitting-a-line": body(sized(1568, 28)),
    "fitting-a-square": body(sized(1092, 1092)),
    "downsized": body(image(png(1920, 1080), transformations={"oversized_image": "downsize"})),
    "downsized-by-default": body(image(png(1920, 1080), transformations={})),
    "transformations-of-another-kind": body(image(png(1920, 1080), transformations="error")),
    "oversized-on-a-model-of-unknown-limit": body(sized(1920, 1080), model="claude-opus-5"),
    "a-url": body(url("https://e.x/i.png"), url("https://example.com/a.pdf", "document")),
    "a-public-address": body(url("http://93.184.216.34/a.png")),
    "a-bucket": body(url("gs://bucket/a.png")),
    "localhost-on-a-cloud": body(url("http://localhost/a.png"), anthropic_version="bedrock-2023-05-31"),
    "a-file-id": body({"type": "image", "source": {"type": "file", "file_id": "file_1"}}),
    "pdf": body(document(pdf())),
    "pdf-after-other-bytes": body(document(encode(b"\n\n%PDF-1.4\n"))),
    "plain-text": body({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hello"}}),
    "document-of-another-kind": body(document(encode(b"hello"), "text/html")),
    "sources-of-other-kinds": body(
        {"type": "image"}, {"type": "image", "source": "x"}, image(5), image([]), document(None), url(5), url(None)
    ),
}


def judged(request: Json, **more: Any) -> list[Fault]:
    return [(v.rule, v.path, v.api) for v in check_request(request, only=RULES, **more)]


@pytest.mark.parametrize(("request_body", "expected"), FAILING.values(), ids=FAILING)
def test_what_is_refused(request_body: Json, expected: list[Fault]) -> None:
    """The rule, the place, and the API's words where they are known."""
    assert judged(request_body) == expected


@pytest.mark.parametrize("request_body", OK.values(), ids=OK)
def test_what_is_taken(request_body: Json) -> None:
    """Nothing at all is said."""
    assert judged(request_body) == []


def test_all_are_refusals() -> None:
    """Each is known word for word, or documented as a 400."""
    assert {rule.level for rule in RULES} == {"reject"}


HEAVY = png(10) + "A" * (10 * 2**20 - len(png(10)))


@pytest.mark.parametrize(
    ("data", "cloud", "expected"),
    [
        (HEAVY, False, None),
        (HEAVY + "AAAA", False, "image exceeds 10 MB maximum: 10485764 bytes > 10485760 bytes"),
        (HEAVY[: 5 * 2**20], True, None),
        (HEAVY[: 5 * 2**20 + 4], True, "image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes"),
        (HEAVY[: 8 * 2**20], False, None),
    ],
    ids=["10-MB", "more", "5-MB-on-a-cloud", "more-on-a-cloud", "8-MB"],
)
def test_the_weight_of_an_image(data: str, cloud: bool, expected: str | None) -> None:
    """The encoded length counts; clouds kept the limit of before 2026."""
    request = body(image(data), **({"anthropic_version": "vertex-2023-10-16"} if cloud else {}))
    wording = f"{API}.image.source.base64: {expected}"
    assert judged(request) == ([] if expected is None else [("image-size", f"{AT}.data", wording)])


@pytest.mark.parametrize(("model", "most"), [("small", 100), ("large", 600), ("nobody-knows", 600)])
def test_how_many_images(model: str, most: int) -> None:
    """As many as the window allows, and those in results count."""
    pictures = [url("https://example.com/a.png")] * most
    assert judged(body(*pictures, model=model), models=[SMALL, LARGE]) == []
    path = f"$.messages[0].content[{most}]"
    over = judged(body(*pictures, image(), model=model), models=[SMALL, LARGE])
    assert over == [("image-count", path, None)]
    request = in_result(*pictures)
    request["messages"][0] = {"role": "user", "content": [image()]}
    path = f"$.messages[2].content[0].content[{most - 1}]"
    assert judged({**request, "model": model}, models=[SMALL, LARGE]) == [("image-count", path, None)]


@pytest.mark.parametrize(("model", "most"), [("small", 100), ("large", 600), ("nobody-knows", 600)])
def test_how_many_pages(model: str, most: int) -> None:
    """The pages of all PDFs together; one that cannot be counted counts as none."""
    whole, half = document(pdf(most)), document(pdf(most // 2))
    hidden = document(encode(b"%PDF-1.7\n<< /Type /Pages /Count 900 >> stream %%EOF"))
    assert judged(body(whole, hidden, model=model), models=[SMALL, LARGE]) == []
    wording = f"messages.0.content.2.pdf.source.base64.data: A maximum of {most} PDF pages may be provided."
    over = judged(body(half, half, document(pdf(1)), model=model), models=[SMALL, LARGE])
    assert over == [("pdf-pages-max", "$.messages[0].content[2].source.data", wording)]


def test_what_a_recording_holds_in_place_of_a_file() -> None:
    """Where the API has taken the request the data may be a placeholder, and the URL was reached."""
    pictures = [image("QUJD"), image(JPEG), document("QUJD"), url("http://localhost/a.png")]
    assert Checker(RULES).ask(Exchange(request=body(*pictures), status=200)).violations == ()
    assert len(Checker(RULES).ask(Exchange(request=body(*pictures), status=400)).violations) == len(pictures)


def test_the_long_window_by_beta() -> None:
    """It lifts the limits of the small one."""
    headers = {"anthropic-version": "2023-06-01", "anthropic-beta": "context-1m-2025-08-07"}
    pictures = [url("https://example.com/a.png")] * 101
    assert judged(body(*pictures, model="small"), models=[SMALL], headers=headers) == []


def test_the_picture_that_makes_them_many() -> None:
    """Old pictures become too large when the twenty-first comes."""
    checker = Checker(RULES)
    messages: list[Json] = [{"role": "user", "content": [image(png(2500)), *[image()] * 19]}]
    pause = [{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    messages += [*pause, *pause]
    assert checker.ask(Exchange(request={**body(), "messages": messages})).violations == ()
    messages = [*messages, {"role": "assistant", "content": "c"}, {"role": "user", "content": [image()]}]
    found = checker.ask(Exchange(request={**body(), "messages": messages})).violations
    assert [(v.rule, v.path) for v in found] == [("image-dimensions", "$.messages[0].content[0].source.data")]
