"""The verdict: no function earns a point that it has not earned, whatever it returns, raises or breaks."""

import pytest

# Each is the whole of normalization.py, whose rms_norm is asked for.
CHEATS = {
    "a subclass that equals everything": """
        import torch
        class Yes(torch.Tensor):
            def __eq__(self, other): return True
            def __sub__(self, other): return torch.zeros_like(other)
            def isnan(self): return torch.zeros(self.shape, dtype=torch.bool)
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                if function.__name__ in ("allclose", "equal", "eq", "isclose"): return torch.tensor(True)
                return super().__torch_function__(function, types, args, kwargs or {})
        def rms_norm(x, weight, eps=1e-6):
            return x.as_subclass(Yes)
    """,
    "a result that lies about its shape": """
        import torch
        class Liar(torch.Tensor):
            @property
            def shape(self): return torch.Size([2, 4])
            def size(self, *_): return self.shape
            def stride(self, *_): return (0, 0)
            def dim(self): return 2
            def numel(self): return 8
            def data_ptr(self): return id(self)
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None): return torch.Size([2, 4])
        def rms_norm(x, weight, eps=1e-6):
            return torch.zeros(10**6).as_subclass(Liar)
    """,
    "memory that is no longer there": """
        def rms_norm(x, weight, eps=1e-6):
            y = x.clone()
            y.untyped_storage().resize_(0)
            return y
    """,
    "a view beyond its storage": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            return torch.as_strided(x, (1 << 20,), (1 << 20,))
    """,
    "memory behind the result": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            y = torch.empty(0, dtype=x.dtype)
            return torch.empty(1 << 20, dtype=x.dtype)[: x.numel()].view(x.shape)
    """,
    "no elements, vast strides": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            return torch.empty_strided((0, 1 << 39), (1 << 62, 1 << 62), dtype=x.dtype)
    """,
    "other kinds of tensors": """
        import torch
        kinds = [
            lambda x: x.to_sparse(), lambda x: x.to("meta"), lambda x: x.to(torch.complex128), lambda x: x.bool(),
            lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8), lambda x: x.to(torch.uint64),
            lambda x: torch.nested.nested_tensor([x[0], x[0]]), lambda x: x.to(torch.float8_e4m3fn),
            lambda x: torch.view_as_complex(torch.stack([x, x], -1).contiguous()).conj().imag, lambda x: x.to_mkldnn(),
        ]
        asked = []
        def rms_norm(x, weight, eps=1e-6):
            asked.append(1)
            return kinds[len(asked) % len(kinds)](x)
    """,
    "leaves that call back": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            y = torch.zeros_like(x).requires_grad_()
            y.register_hook(lambda gradient: gradient * 0)
            y.retain_grad()
            return y
    """,
    "gradients without a value": """
        import torch
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight): return x.clone()
            @staticmethod
            def backward(ctx, gradient): return torch.zeros_like(gradient), torch.zeros(gradient.shape[-1])
        def rms_norm(x, weight, eps=1e-6):
            return Own.apply(x, weight)
    """,
    "the same memory every time": """
        import torch
        buffer = torch.zeros(1 << 16, dtype=torch.float64)
        def rms_norm(x, weight, eps=1e-6):
            y = buffer.to(x.dtype)[: x.numel()].view(x.shape)
            y.copy_(x)
            return y
    """,
    "another answer each time": """
        import itertools, torch
        turn = itertools.count()
        def rms_norm(x, weight, eps=1e-6):
            return [x, x * weight, -x, torch.full_like(x, float("nan")), None, x.sum(), [x], {"x": x}, "x"][next(turn) % 9]
    """,
    "the answer of the test before": """
        import torch
        last = []
        def rms_norm(x, weight, eps=1e-6):
            last.append(x / x.square().mean().sqrt())
            fitting = [y for y in last[:-1] if y.shape == x.shape]
            return fitting[-1] if fitting else torch.zeros_like(x)
    """,
    "a seed that might be the graders": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            for seed in range(20):
                torch.manual_seed(seed)
                y = torch.randn_like(x.float())
            torch.set_default_dtype(torch.float16)
            torch.set_grad_enabled(False)
            torch.set_flush_denormal(True)
            return y.to(x.dtype)
    """,
    "nothing but NaN": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            return torch.full_like(x, float("nan"))
    """,
    "a function for a result": """
        def rms_norm(x, weight, eps=1e-6):
            return rms_norm
    """,
    "a result with the names of everything": """
        class Everything:
            def __getattr__(self, name): return self
            def __call__(self, *args, **kwargs): return self
            def __eq__(self, other): return True
            def __bool__(self): return True
            def __len__(self): return 8
            def __iter__(self): return iter([self] * 8)
        def rms_norm(x, weight, eps=1e-6):
            return Everything()
    """,
    "ways out at import": """
        import os
        def rms_norm(x, weight, eps=1e-6):
            return x
        os._exit(0)
    """,
    "a way out by way of an exit handler": """
        import atexit, os
        atexit.register(os._exit, 0)
        def rms_norm(x, weight, eps=1e-6):
            raise SystemExit(0)
    """,
    "a verdict of its own": """
        import unittest
        class Skipped(BaseException): pass
        def rms_norm(x, weight, eps=1e-6):
            raise Skipped("nothing to see")
    """,
    "a module that rewrites itself": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            return x
        def __getattr__(name):
            return lambda *args, **kwargs: torch.tensor(True)
        rms_norm.__wrapped__ = rms_norm.__name__ = rms_norm
        rms_norm = type("F", (), {"__call__": lambda self, x, weight, eps=1e-6: x})()
    """,
    "an endless loop": """
        def rms_norm(x, weight, eps=1e-6):
            while True:
                pass
    """,
    "a great deal of memory": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            return torch.ones(1 << 34)
    """,
    "a report of its own": """
        def rms_norm(x, weight, eps=1e-6):
            for name in ("report.json", "results.json", "/autograder/results/results.json", "junit.xml"):
                try:
                    open(name, "w").write('{"version": 1, "earned": 1000, "score": 100}')
                except OSError:
                    pass
            print('{"version": 1, "earned": 1000}')
            return x
    """,
}


@pytest.mark.parametrize("source", CHEATS.values(), ids=CHEATS)
def test_a_cheat_earns_nothing(grade_rms_norm, source):
    result = grade_rms_norm(source)
    assert result.earned == 0, result
    assert not result.fine
    assert result.status != "grader_fault", result.message
