"""Values cross as they are or not at all, and bad bytes are refused in one way only."""

import collections
import math
import random
from collections.abc import Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

from grader.sandbox.inside.codec import DTYPES, CannotCross, Caps
from grader.sandbox.inside.decoder import Decoder
from grader.sandbox.inside.encoder import Encoder
from grader.sandbox.inside.frames import WireError


def cross(value: Any, **options: Any) -> Any:
    return Decoder().decode(bytearray(Encoder(**options).encode(value)))


def same(one: Any, other: Any) -> bool:
    """Equal in type, structure and bits."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        return (
            alike and one.contiguous().view(-1).tolist().__repr__() == other.contiguous().view(-1).tolist().__repr__()
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)


shapes = st.lists(st.integers(0, 3), max_size=4).map(tuple)
tensors = st.builds(
    lambda shape, dtype, seed: torch.randint(0, 2, shape, generator=torch.Generator().manual_seed(seed)).to(dtype),
    shapes,
    st.sampled_from(DTYPES[:12]),
    st.integers(0, 99),
)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
    | st.binary(max_size=8)
    | st.sampled_from(DTYPES)
    | tensors
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",)), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@hypothesis.settings(
    max_examples=200, deadline=None, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@hypothesis.given(values)
def test_a_value_comes_out_as_it_went_in(value: Any) -> None:
    assert same(cross(value), value)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_of_every_dtype_cross_bit_for_bit(dtype: torch.dtype) -> None:
    raw = torch.arange(6 * dtype.itemsize, dtype=torch.uint8)
    tensor = (raw % 2).view(torch.bool) if dtype is torch.bool else raw.view(dtype)
    found = cross(tensor)
    assert found.dtype == dtype
    assert found.view(torch.uint8).equal(tensor.view(torch.uint8))


def test_nan_infinities_and_signed_zero_cross() -> None:
    tensor = torch.tensor([math.nan, math.inf, -math.inf, -0.0], dtype=torch.float64)
    assert cross(tensor).view(torch.int64).equal(tensor.view(torch.int64))
    assert str(cross([-0.0, math.nan])) == "[-0.0, nan]"


def test_subclasses_travel_as_their_base() -> None:
    point = collections.namedtuple("Point", "x y")
    found = cross([torch.Size([2, 3]), point(1, 2), collections.OrderedDict(a=1), np.float64(1.5), np.str_("s")])
    assert found == [(2, 3), (1, 2), {"a": 1}, 1.5, "s"]
    assert [type(item) for item in found] == [tuple, tuple, dict, float, str]


def test_int_subclasses_travel_as_int() -> None:
    class Count(int):
        def __add__(self, other: int) -> "Count":
            raise AssertionError("nobody asks it")

    found = cross(Count(7))
    assert (type(found), found) == (int, 7)


def test_parameters_and_tensor_subclasses_travel_as_plain_tensors() -> None:
    class Odd(Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise AssertionError("nobody asks it")

    odd = torch.ones(2, 3).t().as_subclass(Odd)
    for tensor in (torch.nn.Parameter(torch.ones(3, 2)), odd):
        found = cross(tensor)
        assert type(found) is Tensor
        assert not found.requires_grad
        assert found.equal(torch.ones(3, 2))


def test_lazy_conjugates_and_expanded_tensors_cross_by_their_numbers() -> None:
    tensor = torch.tensor([1 + 2j, 3 - 1j])
    assert cross(tensor.conj()).equal(torch.tensor([1 - 2j, 3 + 1j]))
    assert cross(tensor.imag).equal(tensor.imag)
    assert cross(tensor.conj().imag).equal(torch.tensor([-2.0, 1.0]))
    assert cross(torch.ones(1).expand(2, 3)).equal(torch.ones(2, 3))
    assert cross(torch.arange(6)[::2]).equal(torch.tensor([0, 2, 4]))


def test_the_order_of_axes_in_storage_is_kept_on_request() -> None:
    tensor = torch.randn(2, 3, 4).permute(2, 0, 1)
    kept, plain = cross(tensor, keep_strides=True), cross(tensor)
    assert kept.stride() == tensor.stride()
    assert plain.is_contiguous()
    assert kept.equal(tensor)
    assert plain.equal(tensor)


def test_a_decoded_tensor_has_storage_of_its_own() -> None:
    body = bytearray(Encoder().encode([torch.zeros(2), torch.zeros(2)]))
    first, second = Decoder().decode(body)
    first += 1
    assert second.equal(torch.zeros(2))
    assert first.untyped_storage().nbytes() == 8


self_containing: list[Any] = []
self_containing.append(self_containing)


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones(2), "a numpy.ndarray"),
        (np.float32(1), "a numpy.float32"),
        (np.int64(1), "a numpy.int64"),
        (object(), "an object"),
        ({1, 2}, "a set"),
        (1j, "a complex"),
        (2**63, "an int that needs more than 64 bits"),
        (10**5000, "an int that needs more than 64 bits"),
        ({1: 2}, "a dict with an int as a key"),
        ("\ud800", "a str with lone surrogates"),
        (self_containing, "something nested deeper than 40 levels"),
        (deep(100_000), "something nested deeper than 40 levels"),
        ([[0] * 1000] * 1000, "more than 100000 values"),
        (torch.ones(2).to_sparse(), "a tensor that is sparse_coo on cpu; a dense one on the CPU is needed"),
        (torch.ones(2, device="meta"), "a tensor that is strided on meta; a dense one on the CPU is needed"),
        (torch.ones(1).expand(1 << 40), "more than 64 MB"),
        (torch.ones([1] * 30), "a tensor of 30 dimensions"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) > 5 else "",
)
def test_what_cannot_cross_is_named(value: Any, words: str) -> None:
    with pytest.raises(CannotCross) as caught:
        cross(value)
    assert str(caught.value) == words


def test_functions_cross_only_where_someone_keeps_them() -> None:
    with pytest.raises(CannotCross, match="function"):
        cross(deep)


BAD = {
    "empty": b"",
    "unknown kind": b"?",
    "pickle": b"\x80\x04cos\nsystem\n(S'id'\ntR.",
    "trailing bytes": b"NN",
    "short int": b"i\x01",
    "short text": b"s\xff\0\0\0a",
    "text that is not UTF-8": b"s\x01\0\0\0\xff",
    "count beyond the body": b"l\xff\xff\xff\xff",
    "nesting of 100,000": b"l\x01\0\0\0" * 100_000 + b"N",
    "a million values": b"l" + (1_000_000).to_bytes(4, "little") + b"N" * 1_000_000,
    "a key twice": b"d\x02\0\0\0" + b"\x01\0\0\0aN" * 2,
    "a reference": b"h\0" + bytes(8) + b"\0\0\0\0",
    "unknown dtype": b"D\xff",
    "dimensions that overflow": b"X\0\0\x03" + (2**33).to_bytes(8, "little") * 3,
    "no elements, vast dimensions": b"X\0\0\x03" + bytes(8) + (2**62).to_bytes(8, "little") * 2,
    "tensor longer than the body": b"X\0\0\x01" + (1000).to_bytes(8, "little") + b"1234",
    "a bool that is 7": b"X\x09\0\x01" + (1).to_bytes(8, "little") + b"\x07",
    "unknown flags": b"X\0\x80\0" + bytes(8),
    "axes that are no permutation": b"X\0\x02\x02" + (1).to_bytes(8, "little") * 2 + b"\0\0" + bytes(8),
    "a tracked int": b"X\x04\x01\0" + bytes(8),
    "forty thousand tensors": b"l" + (40_000).to_bytes(4, "little") + (b"X\0\0\x01" + bytes(8)) * 40_000,
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_bad_bytes_are_refused(body: bytes) -> None:
    with pytest.raises(WireError):
        Decoder().decode(bytearray(body))


def mutations(count: int) -> Iterator[bytearray]:
    """Bodies that were valid once."""
    dice = random.Random(7)
    seeds = [
        Encoder().encode(value)
        for value in (
            [1, 2.5, "text", b"bytes", None, True, torch.float16],
            {"a": {"b": [torch.ones(2, 3), (torch.zeros(0, 4),)]}},
            (torch.tensor([True, False]), torch.ones((), dtype=torch.bfloat16), [None] * 20),
            [[[[[[[["deep"]]]]]]]],
        )
    ] + [Encoder(keep_strides=True).encode(torch.ones(2, 3, 4).permute(2, 0, 1))]
    for _ in range(count):
        body = bytearray(dice.choice(seeds))
        for _ in range(dice.randrange(1, 6)):
            where = dice.randrange(len(body) + 1)
            match dice.randrange(4):
                case 0 if where < len(body):
                    body[where] = dice.choice(b"\x00\x01\xffNTFifsbDXltdh")
                case 1 if where < len(body):
                    body[where] = dice.randrange(256)
                case 2:
                    body[where:where] = dice.choice(seeds)[: dice.randrange(30)]
                case _:
                    del body[where:]
        yield body


def test_mutated_bodies_decode_or_raise_wire_error() -> None:
    refused = 0
    for body in mutations(20_000):
        try:
            Decoder().decode(body)
        except WireError:
            refused += 1
    assert refused > 10_000


def test_tracked_tensors_are_found_in_the_same_order_on_both_sides() -> None:
    first, second = torch.ones(1, requires_grad=True), torch.zeros(2, requires_grad=True)
    encoder, decoder = Encoder(track=True), Decoder()
    decoder.decode(bytearray(encoder.encode({"a": [second, torch.ones(3)], "b": first})))
    assert [tensor.shape for tensor in decoder.tracked] == [tensor.shape for tensor in encoder.tracked] == [(2,), (1,)]


def test_caps_bound_what_is_written() -> None:
    with pytest.raises(CannotCross, match="more than 1 MB"):
        Encoder(caps=Caps(size=1 << 20)).encode([torch.zeros(1 << 17), torch.zeros(1 << 17)])
