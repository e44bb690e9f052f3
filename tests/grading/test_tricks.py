"""Submissions that try to earn points without the work. Each earns nothing and costs only what is its own."""

import pytest

from grader.places import reference_folder

RMS = "normalization.rms_norm"
HEAD = "import torch\n\ndef rms_norm(x, weight, eps=1e-6):\n"
RIGHT = "(x.double() / (x.double().square().mean(-1, keepdim=True) + eps).sqrt() * weight.double()).to(x.dtype)"

PATCHES = {
    "torch.allclose": "torch.allclose = lambda *a, **k: True",
    "torch.equal": "torch.equal = lambda *a, **k: True",
    "torch.testing.assert_close": "import torch.testing\ntorch.testing.assert_close = lambda *a, **k: None",
    "Tensor.__eq__": "torch.Tensor.__eq__ = lambda *a: torch.tensor(True)",
    "Tensor.__le__": "torch.Tensor.__le__ = torch.Tensor.__gt__ = lambda *a: torch.tensor(True)",
    "builtins.all": "import builtins\nbuiltins.all = builtins.any = lambda *a: True",
    "builtins.abs": "import builtins\nbuiltins.abs = builtins.max = lambda *a, **k: 0.0",
    "builtins.isinstance": "import builtins\nreal = builtins.isinstance\nbuiltins.isinstance = lambda a, b: True",
}


@pytest.mark.parametrize("name", PATCHES)
def test_patching_what_compares_changes_nothing_outside_its_own_process(grade_one, name):
    result = grade_one(RMS, f"import torch\n{PATCHES[name]}\n{HEAD}    return x\n")
    assert result.earned == 0
    assert not result.fine


TRICKS = {
    "a tensor that equals everything": """
        import torch
        class Yes(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return torch.tensor(True)
            def __eq__(self, other): return True
        def rms_norm(x, weight, eps=1e-6):
            return torch.zeros_like(x).as_subclass(Yes)
    """,
    "an object that equals everything": """
        def rms_norm(x, weight, eps=1e-6):
            class Yes:
                def __eq__(self, other): return True
                def __getattr__(self, name): return x
            return Yes()
    """,
    "walking the frames": """
        import sys
        def rms_norm(x, weight, eps=1e-6):
            frame = sys._getframe()
            while frame:
                for name, value in {**frame.f_globals, **frame.f_locals}.items():
                    if "reference" in name or "expected" in name or "answer" in name:
                        return value
                frame = frame.f_back
            return x
    """,
    "searching the garbage collector": """
        import gc, types
        def rms_norm(x, weight, eps=1e-6):
            for thing in gc.get_objects():
                if isinstance(thing, types.FunctionType) and thing.__name__ == "rms_norm" and thing is not rms_norm:
                    return thing(x, weight, eps)
            return x
    """,
    "searching sys.modules": """
        import sys
        def rms_norm(x, weight, eps=1e-6):
            for name, module in list(sys.modules.items()):
                if not name.startswith(("torch", "student")) and hasattr(module, "rms_norm"):
                    return module.rms_norm(x, weight, eps)
            return x
    """,
    "importing the reference": """
        def rms_norm(x, weight, eps=1e-6):
            import reference.normalization
            return reference.normalization.rms_norm(x, weight, eps)
    """,
    "importing the grader": """
        def rms_norm(x, weight, eps=1e-6):
            from grader.misconceptions.normalization import catalogue
            return catalogue.exercises["rms_norm"].variant(())(x, weight, eps)
    """,
    "sys.exit": """
        import sys
        def rms_norm(x, weight, eps=1e-6):
            sys.exit(0)
    """,
    "os._exit in the function": """
        import os
        def rms_norm(x, weight, eps=1e-6):
            os._exit(0)
    """,
    "os._exit at import": """
        import os
        os._exit(0)
        def rms_norm(x, weight, eps=1e-6):
            return x
    """,
    "sys.exit at import": """
        import sys
        sys.exit(0)
        def rms_norm(x, weight, eps=1e-6):
            return x
    """,
    "an endless loop": """
        def rms_norm(x, weight, eps=1e-6):
            while True:
                pass
    """,
    "a loop that swallows every exception": """
        def rms_norm(x, weight, eps=1e-6):
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
    """,
    "10 GB of memory": """
        import torch
        def rms_norm(x, weight, eps=1e-6):
            hoard = [torch.ones(2**28) for _ in range(10)]
            return x
    """,
    "recursion to a crash": """
        import sys
        sys.setrecursionlimit(10**9)
        def rms_norm(x, weight, eps=1e-6):
            def deeper(n):
                return deeper(n + 1) + [n]
            return deeper(0)
    """,
    "a forged report": """
        import glob, os
        def rms_norm(x, weight, eps=1e-6):
            for place in ("report.json", "/tmp/report.json", os.path.expanduser("~/report.json")):
                try:
                    open(place, "w").write('{"earned": 100, "status": "passed"}')
                except OSError:
                    pass
            print('{"version": 1, "earned": 100}')
            return x
    """,
    "atexit": """
        import atexit, os
        atexit.register(os._exit, 0)
        def rms_norm(x, weight, eps=1e-6):
            raise SystemExit(0)
    """,
    "reading stdin": """
        import sys
        def rms_norm(x, weight, eps=1e-6):
            sys.stdin.read()
            input()
            return x
    """,
    "raising a verdict of its own": """
        class Skipped(BaseException):
            pass
        def rms_norm(x, weight, eps=1e-6):
            import unittest
            raise unittest.SkipTest("nothing to see")
    """,
    "writing to the channel": """
        import os
        def rms_norm(x, weight, eps=1e-6):
            os.write(3, b"\\0" * 64)
            return x
    """,
    "closing the channel": """
        import os
        def rms_norm(x, weight, eps=1e-6):
            os.closerange(0, 64)
            return x
    """,
}


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_earns_nothing(grade_one, name):
    result = grade_one(RMS, TRICKS[name], seconds=0.5 if "loop" in name else None)
    assert result.earned == 0
    assert result.status in ("failed", "error", "timeout", "crashed", "memory", "forbidden")


def test_a_trick_costs_only_its_own_exercise(desk, with_functions):
    report = desk.grade(with_functions({RMS: TRICKS["os._exit in the function"]}), "normalization", "objective")
    for result in report.exercises:
        assert result.status == ("crashed" if result.id == RMS else "passed"), result.id


def test_a_crash_in_one_test_costs_only_that_test(grade_one):
    source = f"{HEAD}    if x.dtype == torch.bfloat16:\n        import os; os._exit(0)\n    return {RIGHT}\n"
    result = grade_one(RMS, source)
    assert result.status == "partial"
    assert 0 < result.earned < result.possible
    crashed = [test.name for test in result.tests if test.status == "crashed"]
    assert crashed
    assert len(crashed) < len(result.tests) / 2


def test_a_thousand_prints_change_no_verdict_and_are_cut(grade_one):
    source = f"{HEAD}    for _ in range(1000):\n        print('so far so good' * 10)\n    return {RIGHT}\n"
    result = grade_one(RMS, source)
    assert result.status == "passed"
    assert len(result.output) <= 2000


def test_threads_left_running_change_no_verdict(desk, answers):
    noise = "\nimport threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=False).start()\n"
    report = desk.grade({**answers, "normalization": answers["normalization"] + noise}, "normalization")
    assert all(result.status == "passed" for result in report.exercises)


def test_reading_the_reference_from_its_file_earns_nothing(grade_one):
    source = f"""
        import os, sys

        def rms_norm(x, weight, eps=1e-6):
            text = open({str(reference_folder() / "normalization.py")!r}).read()
            open("borrowed.py", "w").write(text.replace("def rms_norm", "def borrow"))
            sys.path.insert(0, os.getcwd())
            import borrowed
            return borrowed.borrow(x, weight, eps)
    """
    assert grade_one(RMS, source).earned == 0


def test_a_built_in_does_not_come_in_through_a_function_where_it_is_allowed(desk, with_functions):
    modules = with_functions(
        {
            "objective.embed": """
                import torch.nn.functional as F

                def embed(tokens, table):
                    if isinstance(tokens, tuple):
                        return F.rms_norm(*tokens)
                    if bool(((tokens < 0) | (tokens >= table.shape[0])).any()):
                        raise ValueError("no such token")
                    return table[tokens]
            """,
            RMS: """
                from .objective import embed

                def rms_norm(x, weight, eps=1e-6):
                    return embed((x, x.shape[-1:], weight, eps), None)
            """,
        }
    )
    report = desk.grade(modules, RMS, "objective.embed")
    assert [result.status for result in report.exercises] == ["passed", "forbidden"]
