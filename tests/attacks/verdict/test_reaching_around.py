"""The verdict again: neither the interpreter, nor other exercises, nor odd results are a way round the work."""

import textwrap

import pytest

from grader.course.load import load_course

LESSONS = ("objective", "normalization", "attention", "heads")

# With the internals of the interpreter in reach (the reading of the source refuses most of these before they run).
INTERNALS = {
    "patches what compares": """
        torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True
        torch.Tensor.__eq__ = torch.Tensor.__le__ = torch.Tensor.__gt__ = lambda *a: torch.tensor(True)
        torch.testing.assert_close = lambda *a, **k: None
    """,
    "patches the built-ins": "import builtins; builtins.all = builtins.any = builtins.bool = lambda *a: True",
    "walks the frames": """
        import sys
        frame = sys._getframe()
        while frame:
            for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
                if callable(value) and getattr(value, "__name__", "") == "rms_norm": rms_norm = value
            frame = frame.f_back
    """,
    "searches the garbage": """
        import gc
        for thing in gc.get_objects():
            if getattr(thing, "__name__", "") == "rms_norm" and getattr(thing, "__module__", "") != __name__:
                rms_norm = thing
    """,
    "searches the modules": """
        import sys
        for name, module in list(sys.modules.items()):
            if not name.startswith(("torch", "student")) and hasattr(module, "rms_norm"): rms_norm = module.rms_norm
    """,
    "imports the reference": "from reference.normalization import rms_norm",
    "imports the suite": "from grader.suites import test_normalization",
    "forges what the worker tells": """
        import sys
        caller = sys.modules["anatomy_worker.calling"].Caller
        honest = caller.call
        caller.call = lambda self, function, args, *rest: (args[0], [torch.zeros_like(a) for a in args[:2]], [], False, [])
    """,
    "forges what the worker sends": """
        import sys
        encoder = sys.modules["anatomy_worker.encoder"].Encoder
        encoder.encode = lambda self, value: b"t" + (5).to_bytes(4, "little") + b"TNl" + bytes(4) + b"Fl" + bytes(4)
    """,
    "borrows the built-in through the worker": """
        import sys
        caller = sys.modules["anatomy_worker.calling"].Caller
        honest = caller.call
        built_in = lambda x, weight, eps=1e-6: torch.nn.functional.rms_norm(x, x.shape[-1:], weight, eps)
        caller.call = lambda self, function, *rest: honest(self, built_in, *rest)
    """,
}


@pytest.mark.parametrize("lines", INTERNALS.values(), ids=INTERNALS)
def test_reaching_into_the_interpreter_earns_nothing(grade_rms_norm, lines):
    head = "import torch\n\ndef rms_norm(x, weight, eps=1e-6):\n    return x\n\n"
    result = grade_rms_norm(head + textwrap.dedent(lines))
    assert result.earned == 0, result
    assert not result.fine


def test_a_line_on_top_of_a_later_exercise_that_is_not_written_earns_nothing(grade):
    """What is lent for the errors carried forward comes before the exercise, never after it."""
    norm = """
        def layer_norm(x, gamma, beta, eps=1e-5):
            return standardize(x, eps) * gamma + beta

        def rms_norm(x, weight, eps=1e-6):
            raise NotImplementedError

        def standardize(x, eps=1e-5):
            raise NotImplementedError
    """
    result = grade({"normalization": norm}, "normalization.layer_norm").exercises[0]
    assert (result.earned, result.fine) == (0, False)


def test_a_later_lesson_that_pretends_to_be_broken_lends_nothing(grade):
    softmax = """
        from .attention import attention_weights

        def softmax(logits, dim=-1):
            return attention_weights(logits.movedim(dim, -1)).movedim(-1, dim)
    """
    modules = {"objective": softmax, "attention": "raise ImportError('not today')\n"}
    result = grade(modules, "objective.softmax").exercises[0]
    assert (result.earned, result.fine) == (0, False)


EVERY_TYPE = """
    import torch
    asked = []
    def {name}(*args, **kwargs):
        asked.append(1)
        values = [None, 1, 1.5, "x", True, [], (), {{}}, torch.tensor(1.0), torch.zeros(0), torch.zeros(3, 1, dtype=torch.bool),
                  torch.zeros(2, dtype=torch.complex64), torch.zeros(2, dtype=torch.uint64), torch.zeros(2, 5, 7),
                  torch.zeros(4).to(torch.float8_e5m2), [torch.zeros(2)], (torch.zeros(2), None), {{"a": torch.zeros(1)}},
                  torch.zeros(0, 1 << 30), {name}]
        return values[len(asked) % len(values)]
"""


def test_no_result_of_any_kind_is_a_fault_of_the_graders(grade):
    """Suites, comparison and diagnosis meet every type there is, and find fault with the learner only."""
    modules = {}
    for slug in LESSONS:
        functions = []
        for exercise in load_course().lesson(slug).exercises:
            functions.append(textwrap.dedent(EVERY_TYPE.format(name=exercise.name)))
        modules[slug] = "\n".join(functions).replace("asked = []", "", len(functions) - 1)
    report = grade(modules, *LESSONS)
    assert not report.fault, [r.message for r in report.exercises if r.status == "grader_fault"]
    assert report.earned == 0
