"""A frame is put together from any number of reads, and checked before memory is set aside for it."""

import os
from collections.abc import Iterator

import pytest

from grader.sandbox.inside.frames import HEADER_SIZE, MAGIC, FrameReader, Kind, WireError, pack


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    yield ends
    for end in ends:
        os.close(end)


def test_a_frame_that_drips_in_is_whole_at_the_last_byte(pipe: tuple[int, int]) -> None:
    reader, whole = FrameReader(100), pack(Kind.CALL, 2**63, b"abc")
    for byte in whole[:-1]:
        os.write(pipe[1], bytes([byte]))
        assert reader.read(pipe[0]) is None
    os.write(pipe[1], whole[-1:])
    frame = reader.read(pipe[0])
    assert frame is not None
    assert (frame.kind, frame.call_id, frame.body) == (Kind.CALL, 2**63, b"abc")


def test_an_empty_body_needs_no_second_read(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], pack(Kind.DONE, 1, b""))
    frame = FrameReader(0).read(pipe[0])
    assert frame is not None
    assert frame.body == b""


def test_nothing_is_read_beyond_a_frame(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], pack(Kind.DONE, 1, b"") + b"more")
    FrameReader(0).read(pipe[0])
    assert os.read(pipe[0], 10) == b"more"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"\x80\x04cos" + bytes(HEADER_SIZE), "not a frame"),
        (MAGIC + (99).to_bytes(4, "little") + bytes(16), "no frame of kind 99"),
        (MAGIC + (6).to_bytes(4, "little") + bytes(8) + (2**63).to_bytes(8, "little"), "over the limit of 100"),
    ],
    ids=["magic", "kind", "length"],
)
def test_a_bad_header_is_refused(pipe: tuple[int, int], header: bytes, words: str) -> None:
    os.write(pipe[1], header[:HEADER_SIZE])
    with pytest.raises(WireError, match=words):
        FrameReader(100).read(pipe[0])
