"""Ways to smuggle a built-in past a reader of source text. Each was meant to work; none may.

The exercise is `objective.softmax` unless said otherwise; `embed` is another exercise, earlier in the course, and not
followed.
"""

from __future__ import annotations

import pytest

from grader.judge.source import parse_submission

FORBIDDEN = ("softmax", "log_softmax")

IN_ONE_FILE = {
    "own function of the built-in's name": """
        from torch.nn.functional import softmax as _softmax
        def softmax(x): return _softmax(x)
    """,
    "name bound twice": """
        import torch
        def helper(x): return x
        helper = torch.softmax
        def softmax(x): return helper(x, -1)
    """,
    "branch never taken by a reader": """
        import torch
        if 0:
            def helper(x): return x
        else:
            helper = torch.softmax
        def softmax(x): return helper(x, -1)
    """,
    "local variable that hides nothing": """
        from torch import softmax as s
        def softmax(x): return [s(s_, -1) for s_ in [x]][0]
    """,
    "comprehension over the name it hides": """
        from torch import log_softmax
        def softmax(x): return [log_softmax(x, -1).exp() for log_softmax in [log_softmax]][0]
    """,
    "class body over the name it hides": """
        from torch import log_softmax
        class A:
            f = staticmethod(log_softmax)
            log_softmax = None
        def softmax(x): return A.f(x, -1).exp()
    """,
    "star import over the own function": """
        def softmax(x, dim=-1):
            return x.exp() / x.exp().sum(dim, keepdim=True)
        from torch.nn.functional import *
    """,
    "patched module, at module level": """
        import torch
        torch.exp2 = torch.softmax
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched module, in an assignment": """
        import torch
        _ = setattr(torch, "exp2", torch.softmax)
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched module, in a class body": """
        import torch
        class Unused:
            torch.exp2 = torch.softmax
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched module, in a decorator": """
        import torch
        def patch(f):
            torch.exp2 = torch.softmax
            return f
        @patch
        def unused(): ...
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched module, in a default": """
        import torch
        def unused(a=setattr(torch, "exp2", torch.softmax)): ...
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched module, in another exercise": """
        import torch
        def embed(tokens, table):
            torch.exp2 = torch.softmax
            return table[tokens]
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched class, through a parameter": """
        import torch
        def patch(owner): owner.exp2 = owner.softmax
        def embed(tokens, table):
            patch(torch.Tensor)
            return table[tokens]
        def softmax(x): return x.exp2(-1)
    """,
    "patched class, through type()": """
        def embed(tokens, table):
            type(table).exp2 = type(table).softmax
            return table[tokens]
        def softmax(x): return x.exp2(-1)
    """,
    "patched class, through self": """
        import torch
        class A:
            def patch(self): self.exp2 = torch.softmax
        def embed(tokens, table):
            A.patch(torch.Tensor)
            return table[tokens]
        def softmax(x): return x.exp2(-1)
    """,
    "module imported in another exercise, which may change anything": """
        import importlib, torch
        def embed(tokens, table):
            importlib.import_module("student.heads")
            return table[tokens]
        def softmax(x): return torch.exp2(x, -1)
    """,
    "patched class, by __setattr__": """
        import torch
        def embed(tokens, table):
            type.__setattr__(torch.Tensor, "exp2", torch.softmax)
            return table[tokens]
        def softmax(x): return x.exp2(-1)
    """,
    "patched class, by setattr under another name": """
        import torch
        put = setattr
        def embed(tokens, table):
            put(torch.Tensor, "exp2", torch.softmax)
            return table[tokens]
        def softmax(x): return x.exp2(-1)
    """,
    "patched class, in a loop's target": """
        import torch
        def embed(tokens, table):
            for torch.exp2 in [torch.softmax]: pass
            return table[tokens]
        def softmax(x): return torch.exp2(x, -1)
    """,
    "namespace written to in another exercise": """
        import torch
        def embed(tokens, table):
            torch.__dict__["exp2"] = torch.softmax
            return table[tokens]
        def softmax(x): return torch.exp2(x, -1)
    """,
    "globals written to in another exercise": """
        import torch
        def embed(tokens, table):
            globals()["helper"] = torch.softmax
            return table[tokens]
        def softmax(x): return helper(x, -1)
    """,
    "global rebound in another exercise": """
        import torch
        helper = None
        def embed(tokens, table):
            global helper
            helper = torch.softmax
            return table[tokens]
        def softmax(x): return helper(x, -1)
    """,
    "dictionary filled in another exercise": """
        import torch
        CACHE = {}
        def embed(tokens, table):
            CACHE["f"] = torch.softmax
            return table[tokens]
        def softmax(x): return CACHE["f"](x, -1)
    """,
    "list filled in another exercise, under another name": """
        import torch
        CACHE = []
        def embed(tokens, table):
            kept = CACHE
            kept.append(torch.softmax)
            return table[tokens]
        def softmax(x): return CACHE[0](x, -1)
    """,
    "list handed to a helper in another exercise": """
        import torch
        CACHE = []
        def put(where): where.append(torch.softmax)
        def embed(tokens, table):
            put(CACHE)
            return table[tokens]
        def softmax(x): return CACHE[0](x, -1)
    """,
    "registry filled by a decorator": """
        import torch
        TABLE = {}
        def register(f):
            TABLE[f.__name__] = f
            return f
        @register
        def g(x): return torch.softmax(x, -1)
        def softmax(x): return TABLE["g"](x)
    """,
    "registry of subclasses": """
        import torch
        class Base:
            known = []
            def __init_subclass__(cls): Base.known.append(cls)
        class Sneaky(Base):
            def go(self, x): return torch.softmax(x, -1)
        def softmax(x): return Base.known[0]().go(x)
    """,
    "function that keeps an attribute": """
        import torch
        def helper(x): return helper.inner(x, -1)
        def embed(tokens, table):
            helper.inner = torch.softmax
            return table[tokens]
        def softmax(x): return helper(x)
    """,
    "function that keeps a default": """
        import torch
        def slot(f=None, box=[]):
            if f is not None: box.append(f)
            return box[0]
        def embed(tokens, table):
            slot(torch.softmax)
            return table[tokens]
        def softmax(x): return slot()(x, -1)
    """,
    "closure that keeps a value": """
        import torch
        def make():
            box = []
            def put(f): box.append(f)
            def get(): return box[0]
            return put, get
        put, get = make()
        def embed(tokens, table):
            put(torch.softmax)
            return table[tokens]
        def softmax(x): return get()(x, -1)
    """,
    "generator that keeps a value": """
        import torch
        def keeper():
            kept = yield
            while True: yield kept
        K = keeper()
        def embed(tokens, table):
            K.send(torch.softmax)
            return table[tokens]
        def softmax(x): return next(K)(x, -1)
    """,
    "context variable": """
        import contextvars, torch
        V = contextvars.ContextVar("V")
        def embed(tokens, table):
            V.set(torch.softmax)
            return table[tokens]
        def softmax(x): return V.get()(x, -1)
    """,
    "cached list": """
        import functools, torch
        @functools.cache
        def slot(): return []
        def embed(tokens, table):
            slot().append(torch.softmax)
            return table[tokens]
        def softmax(x): return slot()[0](x, -1)
    """,
    "single dispatch": """
        import functools, torch
        @functools.singledispatch
        def go(x): return x
        @go.register
        def _(x: torch.Tensor): return torch.softmax(x, -1)
        def softmax(x): return go(x)
    """,
    "method taken from its class, with a tensor for self": """
        class A:
            def go(self): return self.softmax(-1)
            def softmax(self, dim): return self
        def softmax(x): return A.go(x)
    """,
    "method taken from the type of an object": """
        class A:
            def go(self): return self.softmax(-1)
            def softmax(self, dim): return self
        def softmax(x): return type(A()).go(x)
    """,
    "method of a class in a list": """
        class A:
            def go(self): return self.softmax(-1)
            def softmax(self, dim): return self
        def softmax(x): return [A][0].go(x)
    """,
    "method that is a static method": """
        class A:
            @staticmethod
            def go(self): return self.softmax(-1)
        def softmax(x): return A().go(x)
    """,
    "self bound anew": """
        class A:
            def go(self, x):
                self = x
                return self.softmax(-1)
            def softmax(self, dim): return self
        def softmax(x): return A().go(x)
    """,
    "tensor subclass that defines the name in vain": """
        import torch
        class A(torch.Tensor):
            def go(self): return self.softmax(-1)
            if False:
                softmax = None
        def softmax(x): return x.as_subclass(A).go()
    """,
    "class that makes tensors": """
        class A:
            def __new__(cls, x): return x
            def softmax(self, dim): return self
        def softmax(x): return A(x).softmax(-1)
    """,
    "class with a decorator that returns something else": """
        import torch
        @lambda c: torch
        class A:
            def softmax(x, dim): return x
        def softmax(x): return A.softmax(x, -1)
    """,
    "variable that is an instance, then a tensor": """
        class A:
            def softmax(self, dim): return self
        def softmax(x):
            a = A()
            a = x
            return a.softmax(-1)
    """,
    "hint that promises a class of the own": """
        class A:
            def softmax(self, dim): return self
        def softmax(x: A): return x.softmax(-1)
    """,
    "module passed as an argument": """
        import torch
        def apply(library, x): return library.softmax(x, -1)
        def softmax(x): return apply(torch, x)
    """,
    "getattr that is bound to itself": """
        import torch
        getattr = getattr
        def softmax(x, n="softmax"): return getattr(torch, n)(x, -1)
    """,
    "getattr folded over a split string": """
        import functools, torch
        def softmax(x): return functools.reduce(getattr, "nn.functional.softmax".split("."), torch)(x)
    """,
    "attrgetter over a dotted constant": """
        import torch
        from operator import attrgetter
        def softmax(x): return attrgetter("nn.functional.softmax")(torch)(x)
    """,
    "methodcaller": """
        from operator import methodcaller
        def softmax(x): return methodcaller("softmax", -1)(x)
    """,
    "name chosen by a loop": """
        import torch
        def softmax(x):
            for name in ("exp", "softmax"):
                y = getattr(torch, name)(x, -1)
            return y
    """,
    "name in pieces": """
        import torch
        A, B = "soft", "max"
        def softmax(x): return getattr(torch, f"{A}{B}")(x, -1)
    """,
    "name that grows": """
        import torch
        def softmax(x):
            name = "soft"
            name += "max"
            return getattr(torch, name)(x, -1)
    """,
    "pattern that takes an attribute": """
        import torch
        def softmax(x):
            match torch:
                case object(nn=object(functional=object(softmax=f))): return f(x)
    """,
    "annotation read back": """
        import torch
        def carrier(a: torch.softmax): ...
        def softmax(x): return carrier.__annotations__["a"](x, -1)
    """,
    "annotation that does more than name a type": """
        import torch
        def carrier(a: (s := torch.softmax)): ...
        def softmax(x): return s(x, -1)
    """,
    "string annotation evaluated": """
        import torch, typing
        def carrier(a: "torch.softmax"): ...
        def softmax(x): return typing.get_type_hints(carrier)["a"](x, -1)
    """,
    "field's type": """
        import dataclasses, torch
        @dataclasses.dataclass
        class A:
            f: torch.nn.Softmax
        def softmax(x): return dataclasses.fields(A)[0].type(-1)(x)
    """,
    "built-in's own owner": """
        import torch
        def softmax(x): return torch.exp.__self__.softmax(x, -1)
    """,
    "globals of a library's function": """
        import torch.nn.functional as F
        def softmax(x): return F.relu.__globals__["softmax"](x)
    """,
    "standard library inside torch": """
        import torch
        def softmax(x): return torch.importlib.import_module("torch.nn.functional")
    """,
    "standard library inside a parameter": """
        import torch
        def go(m, x): return m.sys.modules["torch"]
        def softmax(x): return go(torch, x)
    """,
    "format field": """
        import string, torch
        def softmax(x): return string.Formatter().get_field("0.softmax", [torch], {})[0](x, -1)
    """,
    "resolve_name": """
        import pkgutil
        def softmax(x): return pkgutil.resolve_name("torch:softmax")(x, -1)
    """,
    "mock": """
        from unittest import mock
        def softmax(x): return mock._importer("torch.nn.functional")
    """,
    "table of decompositions": """
        import torch._decomp as d
        def softmax(x): return list(d.decomposition_table.values())[57](x, -1, False)
    """,
    "operation by its name": """
        import torch
        def softmax(x): return torch._C._jit_get_operation("aten::softmax")[0](x, -1)
    """,
    "graph": """
        import torch.fx
        def softmax(x):
            g = torch.fx.Graph()
            g.output(g.call_method("softmax", (g.placeholder("x"), -1)))
            return torch.fx.GraphModule({}, g)(x)
    """,
    "operations in an iterator over torch.overrides": """
        import torch
        def softmax(x): return [f for f in torch.overrides.get_overridable_functions()][0]
    """,
    "subclasses": """
        import torch
        def softmax(x): return torch.nn.Module.__subclasses__()[57](-1)(x)
    """,
    "lambda default": """
        import torch
        go = lambda x, f=torch.softmax: f(x, -1)
        def softmax(x): return go(x)
    """,
    "try that always fails": """
        import torch
        def softmax(x):
            try:
                raise KeyError
            except KeyError:
                return torch.softmax(x, -1)
    """,
    "main guard that is no guard": """
        import torch
        __name__ = "__main__"
        if __name__ == "__main__":
            def helper(x): return torch.softmax(x, -1)
        def softmax(x): return helper(x)
    """,
    "main guard's else": """
        import torch
        if __name__ == "__main__":
            helper = None
        else:
            helper = torch.softmax
        def softmax(x): return helper(x, -1)
    """,
    "exercise that is given away and replaced": """
        import torch
        class Better:
            def __call__(self, x): return torch.softmax(x, -1)
        def softmax(x): return x
        softmax = Better()
    """,
    "nested function's default in a class in a function": """
        import torch
        def softmax(x):
            class A:
                def go(self, y, f=torch.nn.Softmax(-1)): return f(y)
            return A().go(x)
    """,
    "wide characters": """
        import torch
        def softmax(x): return torch.\uff4cog_softmax(x, -1).exp()
    """,
    "walrus in a comprehension": """
        import torch
        def softmax(x): return [(f := torch.softmax) for _ in [0]] and f(x, -1)
    """,
    "conditional expression": """
        import torch
        def softmax(x): return (torch if x is not None else None).softmax(x, -1)
    """,
    "attribute of an earlier exercise": """
        import torch
        def embed(tokens, table):
            embed.go = torch.softmax
            return table[tokens]
        def softmax(x): return embed.go(x, -1)
    """,
    "earlier exercise that is an object": """
        import torch
        class Embed:
            go = torch.softmax
            def __call__(self, tokens, table): return table[tokens]
        embed = Embed()
        def softmax(x): return embed.go(x, -1)
    """,
    "earlier exercise that is a dictionary": """
        import torch
        embed = {"go": torch.softmax}
        def softmax(x): return embed["go"](x, -1)
    """,
    "default of an earlier exercise": """
        import torch
        def embed(tokens, table, go=torch.softmax): return table[tokens]
        def softmax(x): return embed.__defaults__[0](x, -1)
    """,
    "pattern by position": """
        import torch
        class Any(type):
            def __instancecheck__(cls, other): return True
        class Holder(metaclass=Any):
            __match_args__ = ("softmax",)
        def softmax(x):
            match torch:
                case Holder(f): return f(x, -1)
    """,
    "pattern by position, of a computed name": """
        import torch
        class Any(type):
            def __instancecheck__(cls, other): return True
        class Holder(metaclass=Any):
            __match_args__ = tuple(["xamtfos"[::-1]])
        def softmax(x):
            match torch:
                case Holder(f): return f(x, -1)
    """,
    "module that owns a built-in of Python": """
        import torch
        def softmax(x): return print.__self__.getattr(torch, "xamtfos"[::-1])(x, -1)
    """,
    "lesson that is torch": """
        import student, torch
        student.lib = torch
        def softmax(x): return student.lib.softmax(x, -1)
    """,
    "lesson that is torch, set in an exercise": """
        import student, torch
        def embed(tokens, table):
            package = student
            package.lib = torch
            return table[tokens]
        def softmax(x):
            from . import lib
            return lib.softmax(x, -1)
    """,
    "starred getattr": """
        import torch
        def softmax(x): return getattr(*[torch, "softmax"])(x, -1)
    """,
}


@pytest.mark.parametrize("text", IN_ONE_FILE.values(), ids=IN_ONE_FILE.keys())
def test_laundering_in_one_file_is_caught(text: str) -> None:
    source = parse_submission({"objective": _left(text)})
    assert not source.problems
    assert source.forbidden_use("objective", "softmax", FORBIDDEN, [("objective", "embed")])


OVER_SEVERAL_FILES = {
    "through a module that is no lesson": {
        "objective": "from .helpers import go\ndef softmax(x): return go(x)",
        "helpers": "from torch import softmax as s\ndef go(x): return s(x, -1)",
    },
    "through a name passed on twice": {
        "objective": "from .a import f\ndef softmax(x): return f(x, -1)",
        "a": "from .b import f",
        "b": "from torch import softmax as f",
    },
    "through star imports in a circle": {
        "objective": "from .a import *\ndef softmax(x): return f(x, -1)",
        "a": "from .b import *",
        "b": "from .a import *\nfrom torch import softmax as f",
    },
    "through a module's attribute of the exercise's name": {
        "objective": "from . import a\ndef softmax(x): return a.softmax(x, -1)",
        "a": "from torch import softmax",
    },
    "through a module's alias of torch": {
        "objective": "from . import a\ndef softmax(x): return a.lib.softmax(x, -1)",
        "a": "import torch as lib",
    },
    "through a module in a dictionary": {
        "objective": "from . import a\nM = {'a': a}\ndef softmax(x): return M['a'].go(x)",
        "a": "import torch\ndef go(x): return torch.softmax(x, -1)",
    },
    "through a module in a dictionary, imported name": {
        "objective": "from . import a\nM = {'a': a}\ndef softmax(x): return M['a'].go(x, -1)",
        "a": "from torch import softmax as go",
    },
    "through a module's __getattr__": {
        "objective": "from .a import anything\ndef softmax(x): return anything(x, -1)",
        "a": "import torch\ndef __getattr__(name): return torch.softmax",
    },
    "through a later exercise": {
        "objective": "from .training import sequence_loss\ndef softmax(x): return sequence_loss(x)",
        "training": "import torch\ndef sequence_loss(x): return torch.softmax(x, -1)",
    },
    "through a patch in a module that is merely imported": {
        "objective": "import torch\nfrom . import a\ndef softmax(x): return torch.exp2(x, -1)",
        "a": "import torch\ntorch.exp2 = torch.softmax",
    },
    "through a patch of a lesson module": {
        "objective": "from . import a\ndef softmax(x): return a.go(x, -1)",
        "a": "import torch\nfrom . import b\ndef go(x, dim): return x\nb.replace()",
        "b": "import torch\nfrom . import a\ndef replace(): a.go = torch.softmax",
    },
    "through a registry in another module": {
        "objective": "from .a import TABLE\nfrom . import b\ndef softmax(x): return TABLE['f'](x, -1)",
        "a": "TABLE = {}",
        "b": "import torch\nfrom .a import TABLE\ndef embed(t): TABLE['f'] = torch.softmax",
    },
    "through a constant in another module": {
        "objective": "import torch\nfrom .a import NAME\ndef softmax(x): return getattr(torch, NAME)(x, -1)",
        "a": "NAME = 'softmax'",
    },
    "through the package": {
        "objective": "import student.a\ndef softmax(x):\n    s = student\n    return getattr(s, 'a').go(x)",
        "a": "import torch\ndef go(x): return torch.softmax(x, -1)",
    },
    "through a class of another module": {
        "objective": "from .a import Layer\nclass Mine(Layer): pass\ndef softmax(x): return Mine()(x)",
        "a": "import torch\nclass Layer:\n    def __call__(self, x): return torch.softmax(x, -1)",
    },
}


@pytest.mark.parametrize("sources", OVER_SEVERAL_FILES.values(), ids=OVER_SEVERAL_FILES.keys())
def test_laundering_over_several_files_is_caught(sources: dict[str, str]) -> None:
    source = parse_submission(sources)
    assert not source.problems
    assert source.forbidden_use("objective", "softmax", FORBIDDEN, [("objective", "embed"), ("b", "embed")])


def _left(text: str) -> str:
    return "\n".join(line.removeprefix("        ") for line in text.splitlines())
