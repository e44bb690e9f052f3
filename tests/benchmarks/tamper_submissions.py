"""Hostile and unlucky submissions: each is the whole of normalization.py and is graded for `rms_norm` alone.

DROP is a folder that anyone may write to; what lies there afterwards has leaked. No submission here deserves points but
the two that say so.
"""

WRONG = """
def rms_norm(x, weight, eps=1e-6):
    return x
"""
RIGHT = """
def rms_norm(x, weight, eps=1e-6):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt() * weight).to(x.dtype)
"""

SUBMISSIONS = {
    "(a right answer)": RIGHT,
    "(a right answer that hangs on bfloat16)": """
def rms_norm(x, weight, eps=1e-6):
    while x.dtype == torch.bfloat16:
        pass
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt() * weight).to(x.dtype)
""",
    "patches `torch.allclose`": "torch.allclose = lambda *a, **k: True" + WRONG,
    "patches everything that compares": """
torch.equal = torch.isclose = torch.allclose = lambda *a, **k: torch.tensor(True)
torch.testing.assert_close = lambda *a, **k: None
torch.Tensor.__eq__ = torch.Tensor.__le__ = torch.Tensor.__lt__ = lambda *a: torch.tensor(True)
"""
    + WRONG,
    "a tensor that equals everything": """
class Yes(torch.Tensor):
    def __eq__(self, other): return True
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("allclose", "equal", "isclose", "eq"): return True
        return super().__torch_function__(function, types, args, kwargs or {})

def rms_norm(x, weight, eps=1e-6):
    return x.as_subclass(Yes)
""",
    "spoils the inputs before the reference sees them": """
def rms_norm(x, weight, eps=1e-6):
    x.zero_()
    return torch.zeros_like(x)
""",
    "imports the reference": """
import importlib
def rms_norm(x, weight, eps=1e-6):
    for name in ("reference", "solution", "reference.normalization"):
        try: return importlib.import_module(name).rms_norm(x, weight, eps)
        except Exception: pass
    return x
""",
    "finds the reference in the frames": """
import sys
def rms_norm(x, weight, eps=1e-6):
    frame = sys._getframe(1)
    while frame:
        for value in list(frame.f_globals.values()):
            found = getattr(value, "rms_norm", None)
            if callable(found) and found is not rms_norm: return found(x, weight, eps)
        frame = frame.f_back
    return x
""",
    "finds the reference with the garbage collector": """
import gc, types
def rms_norm(x, weight, eps=1e-6):
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__name__ == "rms_norm" and thing is not rms_norm:
            return thing(x, weight, eps)
    return x
""",
    "makes the tests empty": """
import sys
def rms_norm(x, weight, eps=1e-6):
    for module in list(sys.modules.values()):
        for name in dir(module) if "test_" in getattr(module, "__name__", "") else ():
            if name.startswith("test_"): getattr(module, name).__code__ = (lambda: None).__code__
    return x
""",
    "writes over the file of the tests": """
import glob, os, sys
for folder in [os.getcwd()]:
    for path in glob.glob(os.path.join(folder or ".", "test_*.py")) + glob.glob(os.path.join(folder or ".", "tests", "*.py")):
        try: open(path, "a").write("\\n\\ndef test_mine(): pass\\n")
        except OSError: pass
"""
    + WRONG,
    "turns each failure into a pass with a hook": """
import gc
for thing in gc.get_objects():
    if type(thing).__name__ == "PytestPluginManager":
        class Mine:
            def pytest_runtest_makereport(self, item, call): call.excinfo = None
        import pytest
        Mine.pytest_runtest_makereport = pytest.hookimpl(tryfirst=True)(Mine.pytest_runtest_makereport)
        thing.register(Mine())
"""
    + WRONG,
    "skips the tests": """
def rms_norm(x, weight, eps=1e-6):
    import pytest
    pytest.skip("not today")
""",
    "`os._exit(0)` in the function": "import os\ndef rms_norm(x, weight, eps=1e-6):\n    os._exit(0)\n",
    "`os._exit(0)` at import": "import os" + WRONG + "os._exit(0)\n",
    "`sys.exit(0)` at import": "import sys" + WRONG + "sys.exit(0)\n",
    "forges the report": """
import atexit, glob, os, sys
def forge():
    for argument in sys.argv:
        if argument.startswith("--junitxml="):
            cases = "".join(f'<testcase name="test_{n}"/>' for n in range(6))
            open(argument.partition("=")[2], "w").write(f'<testsuites><testsuite tests="6">{cases}</testsuite></testsuites>')
    os._exit(0)
atexit.register(forge)
"""
    + WRONG,
    "an endless loop": "def rms_norm(x, weight, eps=1e-6):\n    while True: pass\n",
    "a crash": "import ctypes\ndef rms_norm(x, weight, eps=1e-6):\n    return ctypes.string_at(0)\n",
    "sends off what it finds: environment": """
import os
def rms_norm(x, weight, eps=1e-6):
    try: open("DROP/environment", "w").write(repr(dict(os.environ)) + open(f"/proc/{os.getppid()}/environ").read())
    except OSError: pass
    print(os.environ)
    return x
""",
    "sends off what it finds: tests, answers, others' work": """
import os, sys
def rms_norm(x, weight, eps=1e-6):
    found = []
    for folder in ("FOLDER", *sys.path):
        for place, _, names in os.walk(folder) if folder.startswith("FOLDER") else ():
            for name in names:
                try: found.append(open(os.path.join(place, name)).read())
                except (OSError, UnicodeDecodeError): pass
    try: open("DROP/files", "w").write("".join(found))
    except OSError: pass
    print("".join(found))
    return x
""",
    "leaves a process behind": """
import os, time
def rms_norm(x, weight, eps=1e-6):
    if os.fork() == 0:
        os.setsid()
        try: open("DROP/alive", "w").write(str(os.getpid()))
        finally:
            time.sleep(60)
            os._exit(0)
    return x
""",
}
"""By what they do. In brackets: what honest people hand in."""
