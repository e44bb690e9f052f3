"""Whatever bytes arrive, the codec answers with a value or with its own exception: frames, bodies and messages."""

import random
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
import torch
from nightly import NIGHTLY

from grader.sandbox.inside.decoder import Decoder
from grader.sandbox.inside.encoder import Encoder
from grader.sandbox.inside.failures import Failures
from grader.sandbox.inside.frames import FrameReader, Kind, WireError, pack

COUNT = 1_000_000 if NIGHTLY else 10_000
MOST = 1 << 16

MESSAGES = (
    None,
    (torch.ones(2, 3), [torch.zeros(3), None], [(0,), ("x", 1)], False, ["random-state"]),
    [1, -(2**63), 2.5, float("nan"), "text", b"bytes", True, torch.bfloat16],
    {"a": {"b": [torch.ones(2, 3), (torch.zeros(0, 4),)]}, "c": torch.tensor(1.5)},
    (torch.tensor([True, False]), torch.ones((), dtype=torch.bfloat16), [None] * 20),
    [[[[[[[["deep"]]]]]]]],
    ("ValueError", "message", 3, -1),
    ("ValueError", "message", 7, "lab", "trace", False, True, False),
    (0, True, (torch.ones(2),), {"eps": 1e-5}),
)
BODIES = (
    *(Encoder(keep_strides=True).encode(message) for message in MESSAGES),
    Encoder(keep_strides=True).encode(torch.ones(2, 3, 4).permute(2, 0, 1)),
    Encoder(track=True).encode([torch.ones(2, requires_grad=True), torch.ones(1)]),
    b"h\0" + bytes(8) + b"\1\0\0\0f",
)
MARKS = b"\x00\x01\x02\x7f\x80\xff" + b"NTFifsbDXltdh"


def mutated(dice: random.Random) -> bytearray:
    """A frame that was honest once, or never was."""
    if dice.random() < 0.1:
        return bytearray(dice.randbytes(dice.randrange(200)))
    body = bytearray(dice.choice(BODIES))
    for _ in range(dice.randrange(6)):
        where = dice.randrange(len(body) + 1)
        match dice.randrange(5):
            case 0 if where < len(body):
                body[where] = dice.choice(MARKS)
            case 1 if where < len(body):
                body[where] ^= 1 << dice.randrange(8)
            case 2:
                body[where:where] = dice.choice(BODIES)[: dice.randrange(40)]
            case 3:
                length = dice.choice((0, 1, 1 << 31, (1 << 32) - 1, 1 << 62, (1 << 64) - 1))
                body[where : where + 8] = length.to_bytes(8, "little")
            case _:
                del body[where:]
    frame = bytearray(pack(dice.choice(list(Kind)), dice.getrandbits(64), bytes(body)))
    if dice.random() < 0.2:
        where = dice.randrange(24)
        frame[where] = dice.choice(MARKS)
    return frame


def read_frame(pair: tuple[socket.socket, socket.socket], frame: bytearray) -> bytearray | None:
    """The body of a frame as the grader reads it off a socket, None when it is not whole."""
    ours, theirs = pair
    theirs.sendall(frame)
    reader = FrameReader(MOST)
    try:
        while (found := reader.read(ours.fileno())) is None:
            pass
    except BlockingIOError:
        return None
    return found.body


def frames(seed: int, count: int) -> Iterator[bytearray]:
    dice = random.Random(seed)
    return (mutated(dice) for _ in range(count))


@pytest.mark.parametrize("part", range(4))
def test_mutated_frames_become_values_or_wire_errors(part: int) -> None:
    refused = whole = 0
    for frame in frames(part, COUNT // 4):
        ours, theirs = pair = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            try:
                body = read_frame(pair, frame)
                if body is None:
                    continue
                decoder = Decoder()
                decoder.decode(body)
                assert all(type(tensor) is torch.Tensor for tensor in decoder.tracked)
                whole += 1
            except WireError:
                refused += 1
    assert refused > COUNT // 16
    assert whole > COUNT // 40


def test_mutated_failures_become_exceptions_or_wire_errors() -> None:
    dice, honest = random.Random(11), Failures().tell(ValueError("wrong"))
    for _ in range(COUNT // 10):
        body = bytearray(honest)
        for _ in range(dice.randrange(1, 4)):
            body[dice.randrange(len(body))] = dice.choice(MARKS)
        with suppress(WireError):
            assert isinstance(Failures().hear(body), Exception)


def test_what_decodes_can_be_sent_back_as_it_is() -> None:
    """A value that came through is one that the codec could have written: nothing else can be made of bytes."""
    for frame in frames(5, COUNT // 4):
        try:
            value = Decoder().decode(frame[24:])
        except WireError:
            continue
        again = Encoder(keep_strides=True).encode(value)
        assert Encoder(keep_strides=True).encode(Decoder().decode(bytearray(again))) == again
