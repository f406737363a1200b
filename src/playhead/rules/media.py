"""Rules on images and documents: kind, weight, size, number.

Law: pure checks on what the request itself holds. What only a decoder or the network could tell is not judged.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from playhead.rules.block_search import adds, blocks_of_types, first_new
from playhead.rules.headers import on_cloud, taken
from playhead.rules.json_words import shown
from playhead.rules.media_bytes import Encoded, image_size, image_type, is_encrypted, is_pdf, page_count
from playhead.rules.order import FIELD, SIZE
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.wire.codec import JsonObject

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")

_MB = 2**20
_HEAVIEST, _HEAVIEST_ON_CLOUDS = 10, 5
_LONGEST_SIDE = 8000
_MANY, _LONGEST_SIDE_OF_MANY = 20, 2000

_SMALL_WINDOW = 200_000
_MOST_IN_SMALL_WINDOW, _MOST = 100, 600

_STANDARD_TIER = frozenset(
    {
        "claude-3-haiku",
        "claude-3-opus",
        "claude-3-sonnet",
        "claude-3-5-haiku",
        "claude-3-5-sonnet",
        "claude-3-7-sonnet",
        "claude-sonnet-4",
        "claude-opus-4",
        "claude-opus-4-1",
        "claude-haiku-4-5",
        "claude-sonnet-4-5",
        "claude-opus-4-5",
        "claude-opus-4-6",
        "claude-sonnet-4-6",
    }
)
"""Models that see images up to `_NATIVE_SIDE` pixels and `_NATIVE_PATCHES` squares of `_PATCH` pixels."""

_NATIVE_SIDE, _NATIVE_PATCHES, _PATCH = 1568, 1568, 28


def _source(block: BlockView, kind: str) -> JsonObject:
    """The block's source if it is of this kind; empty otherwise."""
    source = block.data.get("source")
    return source if isinstance(source, dict) and source.get("type") == kind else {}


def _data(block: BlockView) -> str | None:
    data = _source(block, "base64").get("data")
    return data if isinstance(data, str) else None


def _image(block: BlockView) -> Encoded | None:
    """The bytes of an image of a media type that is taken; of another they do not matter any more."""
    data, declared = _data(block), _source(block, "base64").get("media_type")
    return Encoded.of(data) if data is not None and declared in IMAGE_TYPES else None


def _pdf(block: BlockView) -> Encoded | None:
    data, declared = _data(block), _source(block, "base64").get("media_type")
    return Encoded.of(data) if data is not None and declared == "application/pdf" else None


def _at(block: BlockView, member: str, what: str, wording: int = 0, **values: object) -> Finding:
    return Finding(
        path=f"{block.path}.source.{member}",
        what=what,
        values={"api": block.api, **values},
        place=block.place,
        wording=wording,
    )


def _media_type(view: RequestView, block: BlockView) -> Iterator[Finding]:
    source = _source(block, "base64")
    if not source:
        return
    if "media_type" not in source:
        yield Finding(
            path=f"{block.path}.source",
            what="the source has no `media_type`",
            values={"api": block.api},
            place=block.place,
            wording=1,
        )
    elif source["media_type"] not in IMAGE_TYPES:
        yield _at(block, "media_type", f"`media_type` is {shown(source['media_type'])}; images are {_LISTED}")


_LISTED = ", ".join(IMAGE_TYPES)


def _type_mismatch(view: RequestView, block: BlockView) -> Iterator[Finding]:
    image = _image(block)
    actual = image_type(image) if image is not None else None
    declared = _source(block, "base64").get("media_type")
    # claude-3-5-sonnet took a JPEG declared as PNG in 2024 (recorded)
    if actual is not None and actual != declared and not taken(view):
        what = f"the image is declared as {declared}, and begins as {actual}"
        yield _at(block, "media_type", what, declared=declared, actual=actual)


def _unprocessable(view: RequestView, block: BlockView) -> Iterator[Finding]:
    image = _image(block)
    if image is None or taken(view):
        return  # a recording may hold something short in place of the picture that was sent
    if image_type(image) is None:
        yield _at(block, "data", f"{image.text[:24]!r} is the beginning of no JPEG, PNG, GIF or WebP in base64")
    elif 0 in (image_size(image) or ()):
        yield _at(block, "data", "the image has no pixels")


def _too_heavy(view: RequestView, block: BlockView) -> Iterator[Finding]:
    data = _data(block)
    # Bedrock and Google Cloud keep the old limit
    mb = _HEAVIEST_ON_CLOUDS if on_cloud(view) else _HEAVIEST
    if data is not None and len(data) > mb * _MB:
        what = f"the image takes {len(data)} bytes of base64, {mb * _MB} are allowed"
        yield _at(block, "data", what, n=len(data), mb=mb, limit=mb * _MB)


_TOO_LARGE = "image_dimensions_too_large"


def _dimensions(view: RequestView) -> Iterator[Finding]:
    if not adds(view, ("image",)):
        return  # the images that there are were judged before
    count = sum(1 for _ in blocks_of_types(view, ("image",)))
    many = count > _MANY
    # the step over the limit concerns the images before it too
    for block in blocks_of_types(view, ("image",), 0 if many else first_new(view)):
        image = _image(block)
        size = image_size(image) if image is not None else None
        if size is None:
            continue
        if max(size) > _LONGEST_SIDE:
            what = f"the image has {size[0]} x {size[1]} pixels, {_LONGEST_SIDE} a side are allowed"
            yield replace(_at(block, "data", what, wording=1, limit=_LONGEST_SIDE), error_code=_TOO_LARGE)
        elif many and max(size) > _LONGEST_SIDE_OF_MANY:
            limit = _LONGEST_SIDE_OF_MANY
            what = f"the image has {size[0]} x {size[1]} pixels; {limit} a side are allowed where there are {count}"
            yield replace(_at(block, "data", what, limit=limit), error_code=_TOO_LARGE)


def _most(view: RequestView) -> int:
    """How many images, or pages, one request may hold."""
    window = view.model.context
    long_by_beta = any(beta.startswith("context-1m") for beta in view.betas or ())
    small = window is not None and window <= _SMALL_WINDOW and not long_by_beta
    return _MOST_IN_SMALL_WINDOW if small else _MOST


def _too_many(view: RequestView) -> Iterator[Finding]:
    most = _most(view)
    images = list(blocks_of_types(view, ("image",))) if adds(view, ("image",)) else []
    if len(images) > most:
        first_over = images[most]
        what = f"the request holds {len(images)} images, {most} are allowed"
        yield Finding(path=first_over.path, what=what, values={"limit": most}, place=first_over.place)


def _oversized(view: RequestView, block: BlockView) -> Iterator[Finding]:
    transformations = block.data.get("transformations")
    mode = transformations.get("oversized_image") if isinstance(transformations, dict) else None
    image = _image(block) if mode == "error" and view.model.name in _STANDARD_TIER else None
    size = image_size(image) if image is not None else None
    fitting = _fitting(*size) if size is not None and 0 not in size else None
    if size is not None and fitting is not None and fitting != size:
        (width, height), (most_wide, most_high) = size, fitting
        yield Finding(
            path=block.path,
            what=f"the image has {width} x {height} pixels, {view.model.name} sees at most {most_wide} x {most_high}",
            values={"api": block.api, "w": width, "h": height, "w2": most_wide, "h2": most_high},
            place=block.place,
        )


def _fitting(width: int, height: int) -> tuple[int, int]:
    """The largest size of this shape that is seen as it is."""
    longer, shorter = max(width, height), min(width, height)
    for side in range(min(longer, _NATIVE_SIDE), 0, -1):
        other = max(1, shorter if side == longer else round(side * shorter / longer))
        if -(-side // _PATCH) * -(-other // _PATCH) <= _NATIVE_PATCHES:
            return (side, other) if width >= height else (other, side)
    return 1, 1


def _unreachable(view: RequestView, block: BlockView) -> Iterator[Finding]:
    url = _source(block, "url").get("url")
    if not isinstance(url, str) or on_cloud(view) or taken(view):
        return
    why = _why_unreachable(url)
    if why is not None:
        yield _at(block, "url", f"{shown(url)} {why}")


def _why_unreachable(url: str) -> str | None:
    """What makes sure that nobody but the client itself can fetch this; None where it is not sure."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return "is no URL"
    if parts.scheme in ("", "file", "data"):
        return "is no address on the web"
    # RFC 6761: these names are never in the public DNS
    if host.rpartition(".")[2] in ("invalid", "localhost"):
        return "names a host that the API cannot reach"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return "names an address that the API cannot reach" if address.is_loopback or address.is_private else None


def _pdf_readable(view: RequestView, block: BlockView) -> Iterator[Finding]:
    document = _pdf(block)
    if document is None or taken(view):
        return
    if not document.text:
        yield _at(block, "data", "the PDF is empty", 1)
    elif not is_pdf(document):
        yield _at(block, "data", f"{document.text[:24]!r} is not the beginning of a PDF in base64")
    elif is_encrypted(document):
        yield _at(block, "data", "the PDF is encrypted", 2)


def _too_many_pages(view: RequestView) -> Iterator[Finding]:
    if not adds(view, ("document",)):
        return
    most, pages = _most(view), 0
    for block in blocks_of_types(view, ("document",)):
        document = _pdf(block)
        pages += (page_count(document) or 0) if document is not None else 0
        if pages > most:
            what = f"with this PDF the request holds {pages} pages, {most} are allowed"
            yield _at(block, "data", what, limit=most)
            return


_IN_SOURCE = "{api}.image.source.base64"
_IN_PDF = "{api}.pdf.source.base64.data"

RULES = (
    Rule(
        id="image-media-type",
        level="reject",
        wording=(
            _IN_SOURCE + ".media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
            _IN_SOURCE + ".media_type: Field required",
        ),
        fix="convert the image to one of the four formats and say which in `media_type`",
        rank=FIELD["messages"],
        block=_media_type,
        types=("image",),
    ),
    Rule(
        id="image-media-type-mismatch",
        level="reject",
        wording=(
            _IN_SOURCE + ": The image was specified using the {declared} media type, but the image appears to be a "
            "{actual} image",
        ),
        fix='send "media_type": "{actual}"; take it from the bytes, not from the file name',
        rank=SIZE,
        block=_type_mismatch,
        types=("image",),
    ),
    Rule(
        id="image-unprocessable",
        level="reject",
        wording=("Could not process image",),
        fix="send the bytes of the image file itself, in plain base64 without a data: prefix",
        rank=SIZE,
        block=_unprocessable,
        types=("image",),
    ),
    Rule(
        id="image-size",
        level="reject",
        wording=(_IN_SOURCE + ": image exceeds {mb} MB maximum: {n} bytes > {limit} bytes",),
        fix="scale the image down or compress it until its base64 has at most {limit} bytes",
        rank=SIZE,
        block=_too_heavy,
        types=("image",),
    ),
    Rule(
        id="image-dimensions",
        level="reject",
        wording=(
            _IN_SOURCE + ".data: At least one of the image dimensions exceed max allowed size for many-image requests: "
            "{limit} pixels",
            _IN_SOURCE + ".data: At least one of the image dimensions exceed max allowed size: {limit} pixels",
        ),
        fix="scale the image down to {limit} pixels a side",
        rank=SIZE,
        request=_dimensions,
        holding=("image",),
    ),
    Rule(
        id="image-count",
        level="reject",
        fix="send at most {limit} images in one request; leave out old ones",
        rank=SIZE,
        request=_too_many,
        holding=("image",),
    ),
    Rule(
        id="image-oversized-error-mode",
        level="reject",
        wording=(
            "{api}: image dimensions {w}x{h} exceed the maximum image size of a model named on this request and would "
            "be downsized to {w2}x{h2}; scale the image to at most {w2}x{h2} or set the image's oversized_image "
            'setting to "downsize"',
        ),
        fix="scale the image to {w2} x {h2} yourself, and coordinates with it, or let it be scaled",
        rank=SIZE,
        block=_oversized,
        types=("image",),
    ),
    Rule(
        id="url-source-unreachable",
        level="reject",
        wording=("Unable to download the file. Please verify the URL and try again.",),
        fix="give an https URL that is open to the internet, or send the file in base64",
        rank=SIZE,
        block=_unreachable,
        types=("image", "document"),
    ),
    Rule(
        id="pdf-invalid",
        level="reject",
        wording=(
            _IN_PDF + ": The PDF specified was not valid.",
            "PDF cannot be empty",
            "The PDF specified is password protected",
        ),
        fix="send the bytes of the PDF file itself in base64, without a password",
        rank=SIZE,
        block=_pdf_readable,
        types=("document",),
    ),
    Rule(
        id="pdf-pages-max",
        level="reject",
        wording=(_IN_PDF + ": A maximum of {limit} PDF pages may be provided.",),
        fix="split the PDF: at most {limit} pages in one request",
        rank=SIZE,
        request=_too_many_pages,
        holding=("document",),
    ),
)
