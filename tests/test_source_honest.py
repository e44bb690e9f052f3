"""Programs that an honest learner may write. Nothing may be found in any of them."""

from __future__ import annotations

import pytest

from grader.course.load import load_course
from grader.judge.source import parse_submission
from grader.places import reference_folder

NAMES = """
softmax log_softmax Softmax LogSoftmax cross_entropy nll_loss CrossEntropyLoss entr optim layer_norm native_layer_norm
LayerNorm group_norm batch_norm rms_norm RMSNorm embedding Embedding gelu GELU silu SiLU scaled_dot_product_attention
MultiheadAttention
"""
FORBIDDEN = NAMES.split()

HONEST = {
    "the textbook answer": """
        import torch
        def answer(x, dim=-1):
            shifted = x - x.amax(dim, keepdim=True)
            weights = shifted.exp()
            return weights / weights.sum(dim, keepdim=True)
    """,
    "logsumexp": """
        import torch
        def answer(x): return (x - torch.logsumexp(x, -1, keepdim=True)).exp()
    """,
    "variance": """
        def answer(x, eps=1e-5): return (x - x.mean(-1)) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    """,
    "functional linear": """
        import torch.nn.functional as F
        def answer(x, w): return F.linear(x, w) + F.relu(x) + F.one_hot(x) + F.pad(x, (0, 1)) + F.normalize(x)
    """,
    "einsum and einops": """
        import torch
        from einops import rearrange
        def answer(q, k): return rearrange(torch.einsum("bqd,bkd->bqk", q, k), "b q k -> b k q")
    """,
    "comment and docstring": '''
        def answer(x):
            """Like torch.softmax(x, -1) or F.softmax, but by hand."""
            # not x.softmax(-1)
            return x  # torch.nn.Softmax
    ''',
    "string and dictionary key": """
        def answer(x):
            parts = {"softmax": x.exp(), "log_softmax": x}
            return parts["softmax"] + parts["log_softmax"]
    """,
    "error message": """
        def answer(x):
            if x.ndim == 0: raise ValueError(f"softmax of a scalar: {x}")
            return x
    """,
    "own function of that name": """
        def softmax(x): return x.exp() / x.exp().sum()
        def answer(x): return softmax(x)
    """,
    "own function of that name in a helper": """
        def _weights(x): return softmax(x)
        def softmax(x): return x.exp() / x.exp().sum()
        def answer(x): return _weights(x)
    """,
    "own function imported from a lesson": """
        from .other import softmax
        def answer(x): return softmax(x)
    """,
    "own function imported under another name": """
        from .other import softmax as s, log_softmax
        def answer(x): return s(log_softmax(x))
    """,
    "own function through its module": """
        from . import other
        def answer(x): return other.softmax(x)
    """,
    "own function through its module, absolute": """
        import student.other
        from student import other as o
        def answer(x): return student.other.softmax(x) + o.log_softmax(x)
    """,
    "own function through a local alias of its module": """
        from . import other
        def answer(x):
            o = other
            return o.softmax(x)
    """,
    "own function through a star import": """
        from .other import *
        def answer(x): return softmax(x) + log_softmax(x)
    """,
    "own function by a constant name": """
        from . import other
        def answer(x): return getattr(other, "softmax")(x)
    """,
    "own function imported inside": """
        def answer(x):
            from .other import softmax
            return softmax(x)
    """,
    "local variable of that name": """
        def answer(x):
            softmax = x.exp()
            softmax = softmax / softmax.sum()
            return softmax
    """,
    "parameter of that name": """
        def answer(x, softmax): return softmax(x)
        def other(x): return answer(x, softmax=None)
    """,
    "keyword of that name": """
        def answer(x): return dict(softmax=x, gelu=x)["softmax"]
    """,
    "loop variable of that name": """
        def answer(x):
            for embedding in x: x = x + embedding
            return [gelu for gelu in x]
    """,
    "nested function of that name": """
        def answer(x):
            def softmax(y): return y.exp() / y.exp().sum()
            return softmax(x)
    """,
    "own layer class": """
        import torch
        from torch import nn
        class RMSNorm(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(width))
            def forward(self, x): return x * x.square().mean(-1, keepdim=True).rsqrt() * self.weight
        def answer(x): return RMSNorm(x.shape[-1])(x)
    """,
    "own class with a method of that name": """
        class Steps:
            def __init__(self, x): self.x = x
            def softmax(self): return self.x.exp() / self.x.exp().sum()
            def run(self): return self.softmax()
        def answer(x): return Steps(x).run() + Steps(x).softmax()
    """,
    "own class with an attribute of that name": """
        from .other import softmax
        class Attention:
            def __init__(self): self.softmax = softmax
            def __call__(self, x): return self.softmax(x)
        def answer(x):
            layer = Attention()
            return layer(x) + layer.softmax(x)
    """,
    "own class with decorated methods": """
        import torch
        import torch.nn.functional as F
        from functools import cached_property
        class Layer(torch.nn.Module):
            @torch.no_grad()
            def reset(self): self.softmax = torch.zeros(3)
            @property
            def embedding(self): return 1
            @cached_property
            def gelu(self): return self.embedding + self.softmax
        class Act(torch.nn.Module):
            @torch.no_grad()
            def reset(self): self.scale = torch.zeros(3)
            def forward(self, x): return F.gelu(x) * self.scale
        def feed_forward(x): return Act()(x)
        def answer(x): return Layer().gelu + x
    """,
    "own namespace class": """
        class Ops:
            @staticmethod
            def softmax(x): return x.exp() / x.exp().sum()
            @classmethod
            def twice(cls, x): return cls.softmax(cls.softmax(x))
        def answer(x): return Ops.softmax(x) + Ops.twice(x)
    """,
    "own subclass": """
        class Base:
            def gelu(self, x): return x
        class Act(Base):
            def gelu(self, x): return super().gelu(x)
            def go(self, x): return self.gelu(x)
        def answer(x): return Act().go(x)
    """,
    "dataclass with such a field": """
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class Parts:
            softmax: object
            embedding: object
        def answer(x):
            parts = Parts(x, x)
            return parts.softmax + parts.embedding
    """,
    "named tuple with such a field": """
        from typing import NamedTuple
        class Parts(NamedTuple):
            softmax: object
        def answer(x):
            parts = Parts(softmax=x)
            return parts.softmax
    """,
    "simple namespace": """
        from types import SimpleNamespace
        def answer(x):
            parts = SimpleNamespace(embedding=x)
            return parts.embedding
    """,
    "getattr with a constant": """
        def answer(x, cfg=None): return x * getattr(cfg, "eps", 1e-5) * getattr(x, "shape")[0]
    """,
    "getattr with one of a few constants": """
        import torch
        def answer(x):
            for name in ("exp", "sqrt"): x = getattr(torch, name)(x)
            return x
    """,
    "getattr on an object of the own": """
        from torch import nn
        class Layer(nn.Module):
            def forward(self, x, names):
                for name in names: x = getattr(self, f"w_{name}")(x)
                return x
        def answer(x): return Layer()(x, ["a"])
    """,
    "hasattr": """
        def answer(x): return x if hasattr(x, "softmax") else None
    """,
    "type hints": """
        from __future__ import annotations
        import torch
        from torch import Tensor, nn
        from collections.abc import Callable
        def answer(x: Tensor, norm: nn.LayerNorm | None = None, act: "Callable[[Tensor], Tensor]" = None,
                   optimizer: torch.optim.Optimizer | None = None) -> torch.Tensor:
            y: Tensor = x
            return y
    """,
    "attrgetter and itemgetter with constants": """
        import operator
        def answer(x): return sorted(x, key=operator.attrgetter("real")) + sorted(x, key=operator.itemgetter(0))
    """,
    "regular expressions": """
        import re
        PATTERN = re.compile("softmax")
        def answer(x): return PATTERN.match(x) and re.compile("gelu")
    """,
    "a model's eval": """
        def answer(model, x):
            model.eval()
            return model(x)
    """,
    "torch.compile and torch.jit.script": """
        import torch
        @torch.jit.script
        def _mean(x): return x.mean(-1)
        @torch.compile
        def answer(x): return _mean(x)
    """,
    "custom autograd function": """
        import torch
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, dim):
                ctx.dim = dim
                y = x.exp()
                ctx.save_for_backward(y)
                return y
            @staticmethod
            def backward(ctx, g):
                y, = ctx.saved_tensors
                return g * y, None
        def answer(x): return Exp.apply(x, -1)
    """,
    "functools": """
        import functools, math
        @functools.lru_cache(maxsize=None)
        def _scale(width): return 1 / math.sqrt(width)
        _half = functools.partial(_scale, 2)
        def answer(x): return x * _scale(4) * functools.reduce(lambda a, b: a * b, [1, 2])
    """,
    "cache of its own": """
        import torch
        _MASKS = {}
        def answer(n):
            if n not in _MASKS: _MASKS[n] = torch.ones(n, n).tril()
            return _MASKS[n]
    """,
    "in-place on a temporary": """
        import torch
        def answer(x):
            out = torch.empty_like(x)
            out[..., 0::2] = x[..., 1::2]
            out.requires_grad = False
            out.mul_(2)
            return out
    """,
    "self-test under the main guard": """
        import torch
        def answer(x): return x.exp() / x.exp().sum()
        if __name__ == "__main__":
            x = torch.randn(3)
            assert torch.allclose(answer(x), torch.softmax(x, -1))
            print(torch.nn.functional.layer_norm(x, (3,)))
    """,
    "self-test in a function of its own": """
        import torch
        def answer(x): return x.exp() / x.exp().sum()
        def check():
            x = torch.randn(3)
            assert torch.allclose(answer(x), x.softmax(-1))
    """,
    "self-test that is called": """
        import torch
        def answer(x): return x.exp()
        def _check(): assert answer(torch.ones(2)).shape == torch.softmax(torch.ones(2), 0).shape
        _check()
    """,
    "statements at module level": """
        import sys
        import torch
        torch.manual_seed(0)
        torch.set_default_dtype(torch.float32)
        torch.backends.cudnn.deterministic = True
        if sys.version_info < (3, 11): raise RuntimeError
        print(torch.ones(2).exp())
        def answer(x): return x
    """,
    "fallback import": """
        try:
            from typing import override
        except ImportError:
            override = lambda f: f
        def answer(x): return x
    """,
    "imports that only another exercise uses": """
        import importlib, inspect, pickle
        import torch.nn.functional as F
        from torch.nn.functional import softmax as reference_softmax
        def feed_forward(x): return F.gelu(x) + reference_softmax(x)
        def answer(x): return x
    """,
    "another exercise that uses what it may": """
        import torch.nn.functional as F
        GAIN = 2.0
        SCALES = {"a": 1.0}
        def feed_forward(x): return F.gelu(x) * GAIN * SCALES["a"]
        def answer(x): return x * GAIN * SCALES["a"]
    """,
    "a shared function that both call": """
        import torch.nn.functional as F
        def _scale(x): return x * 2
        def feed_forward(x): return F.gelu(_scale(x)).sum()
        def answer(x): return _scale(x).add(1)
    """,
    "an exercise's result with more done to it": """
        import torch.nn.functional as F
        def inner(x): return x
        def feed_forward(x): return inner(F.gelu(x)).add(1).set(2)
        def answer(x): return inner(x)
    """,
    "walrus, try, with, match": """
        import torch
        def answer(x, kind="a"):
            with torch.no_grad():
                if (n := x.shape[-1]) > 2: x = x[..., :n]
            try:
                match kind:
                    case "a" | "softmax": return x
                    case [first, *rest]: return first
                    case {"k": v, **rest}: return v
            finally:
                del n
    """,
    "lambda and conditional": """
        import torch
        act = (lambda x: x.relu()) if True else torch.tanh
        def answer(x): return act(x)
    """,
    "generators and closures": """
        def make(scale):
            def inner(x): return x * scale
            return inner
        double = make(2)
        def answer(x): return sum(double(y) for y in x)
    """,
    "numpy": """
        import numpy as np
        def answer(x): return np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    """,
    "related functions that do not do it": """
        import torch
        def answer(x): return torch.sigmoid(x) + torch.erf(x) + x.norm() + torch.linalg.vector_norm(x)
    """,
    "vector of foreach operations": """
        import torch
        def answer(grads): return torch.stack(torch._foreach_norm(grads)).norm()
    """,
    "sys and os used plainly": """
        import os, sys
        def answer(x): return x if x < sys.float_info.max else os.cpu_count()
    """,
    "assigning to such an attribute": """
        class Cache: pass
        def answer(x):
            c = Cache()
            c.embedding = x
            return c.embedding
    """,
    "import of the built-in that a function of the own replaces": """
        from torch.nn.functional import softmax as answer
        def answer(x): return x.exp() / x.exp().sum()
    """,
    "module of a lesson that is not handed in": """
        from . import objective
        def answer(x): return objective.softmax(x)
    """,
    "an exercise's name and documentation": """
        def answer(x):
            if answer.__doc__ is None: raise ValueError(answer.__name__)
            return x
    """,
    "positional pattern": """
        from dataclasses import dataclass
        @dataclass
        class Point:
            x: float
            y: float
        def answer(p):
            match p:
                case Point(x, y): return x + y
                case int(n): return n
    """,
    "deleting and globals": """
        count = 0
        def answer(x):
            global count
            count += 1
            return x * count
    """,
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST.keys())
def test_nothing_is_found_in_honest_code(text: str) -> None:
    text = "\n".join(line.removeprefix("        ") for line in text.splitlines())
    other = "def softmax(x): return x.exp() / x.exp().sum()\ndef log_softmax(x): return softmax(x).log()\n"
    source = parse_submission({"lesson": text, "other": other})
    assert not source.problems
    assert source.forbidden_use("lesson", "answer", FORBIDDEN) == []


def test_the_unfinished_template_is_clean() -> None:
    text = '''"""Normalization."""
from __future__ import annotations

import torch
from torch import Tensor

from .objective import softmax


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Over the last axis.

    x: (..., D). The same as torch.nn.functional.layer_norm.
    """
    # TODO: normalise each row
    raise NotImplementedError
'''
    assert parse_submission({"normalization": text}).forbidden_use("normalization", "layer_norm", FORBIDDEN) == []


def test_what_a_later_lesson_may_use_is_no_fault_of_the_helper_it_shares() -> None:
    objective = (
        "_MASKS = {}\ndef _mask(n):\n    _MASKS.setdefault(n, n)\n    return _MASKS[n]\n"
        "def cross_entropy(x): return _mask(x)\n"
    )
    training = "import torch\nfrom .objective import _mask\ndef sequence_loss(x): return torch.log_softmax(_mask(x))\n"
    source = parse_submission({"objective": objective, "training": training})
    assert source.forbidden_use("objective", "cross_entropy", ["log_softmax"]) == []


def _reference() -> dict[str, str]:
    files = ((lesson.slug, reference_folder() / f"{lesson.slug}.py") for lesson in load_course().lessons)
    return {slug: path.read_text(encoding="utf-8") for slug, path in files if path.exists()}


def test_nothing_is_found_in_the_reference() -> None:
    exercises = load_course().exercises
    source = parse_submission(_reference())
    assert not source.problems
    for index, exercise in enumerate(exercises):
        earlier = [(each.lesson, each.name) for each in exercises[:index]]
        assert source.forbidden_use(exercise.lesson, exercise.name, exercise.forbidden, earlier) == [], exercise.id
