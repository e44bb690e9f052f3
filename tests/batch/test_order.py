"""What was asked of a run is kept, and a held-out seed is not."""

import pytest

from grader.batch.order import Order, secret_seed
from grader.errors import UserError


def test_an_order_reads_back_as_it_was(tmp_path):
    order = Order("/some/where/\u00e9", ("normalization",), 7, "", True, "hw-", "/a.yaml", "/some/book.sqlite")
    order.save(tmp_path)
    assert Order.load(tmp_path) == order


def test_a_held_out_seed_stands_in_no_file_of_the_run(tmp_path):
    (tmp_path / "seed").write_text("nobody guesses this\n")
    order = Order("x", ("normalization",), seed_file=str(tmp_path / "seed"))
    options = order.options()
    assert options.held_out
    assert options.seed == secret_seed(tmp_path / "seed") > 2**32
    order.save(tmp_path)
    kept = (tmp_path / "run.json").read_text()
    assert str(options.seed) not in kept
    assert "nobody guesses" not in kept


def test_a_password_stands_in_no_file_of_the_run(tmp_path):
    Order("x", (), db="postgresql://ann:swordfish@host/book").save(tmp_path)
    assert "swordfish" not in (tmp_path / "run.json").read_text()
    assert Order.load(tmp_path).db.endswith("://ann@host/book")


def test_white_space_around_the_secret_does_not_count(tmp_path):
    (tmp_path / "unix").write_bytes(b"a secret line\n")
    (tmp_path / "windows").write_bytes(b"a secret line\r\n")
    assert secret_seed(tmp_path / "unix") == secret_seed(tmp_path / "windows")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "nothing was graded into that folder"),
        ("{", "is damaged"),
        ('{"version": 1}', "is damaged"),
        ("[]", "is damaged"),
        ('{"version": 2}', "Update it"),
    ],
)
def test_an_order_that_cannot_be_read_is_one_sentence(tmp_path, content, says):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(UserError, match=says):
        Order.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "says"), [(None, "cannot be read"), (" \n", "too short"), ("letmein", "too short")]
)
def test_a_seed_file_that_holds_no_secret_is_one_sentence(tmp_path, content, says):
    if content is not None:
        (tmp_path / "seed").write_text(content)
    with pytest.raises(UserError, match=says):
        secret_seed(tmp_path / "seed")
