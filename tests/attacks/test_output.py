"""What an attacker prints, raises or warns is cut, cleaned and shown; it never becomes anything else."""

import json
import re
from xml.etree import ElementTree

import click
import pytest

from grader.course.load import load_course
from grader.render import html, junit, text
from grader.report import ExerciseResult, Report, TestResult
from grader.sandbox import Died, Limits, NotAValue, Raised, Returned

LIMITS = Limits(seconds=2.0, memory_mb=512)

FLOODS = {
    "of bytes": "import os\ndef attack():\n    while True: os.write(1, b'x' * 65536)\n",
    "of lines": "def attack():\n    while True: print('y' * 10_000)\n",
    "of warnings": """
        import warnings
        def attack():
            warnings.simplefilter("always")
            for n in range(10**9): warnings.warn("z" * 10_000 + str(n))
    """,
    "from a thread": """
        import os, threading
        def attack():
            def flood():
                while True: os.write(2, b"x" * 65536)
            threading.Thread(target=flood, daemon=True).start()
            while True: pass
    """,
    "from a hook that never ends": """
        import os, sys
        def attack():
            sys.unraisablehook = lambda _: os.write(2, b"x" * 65536)
            class Bad:
                def __del__(self): raise ValueError
            while True: Bad()
    """,
}


@pytest.mark.parametrize("source", FLOODS.values(), ids=FLOODS)
def test_a_flood_is_stopped_and_a_little_of_it_kept(cage, source):
    outcome = cage.run(source, limits=Limits(seconds=5))
    assert isinstance(outcome, Died)
    assert outcome.reason in ("output", "timeout")
    assert len(outcome.output) < 70_000


def test_a_megabyte_of_errors_is_no_crime(cage):
    source = "import sys\ndef attack():\n    for _ in range(1000): print('y' * 1023, file=sys.stderr)\n    return 7\n"
    outcome = cage.run(source)
    assert isinstance(outcome, Returned)
    assert outcome.value == 7
    assert len(outcome.output) < 70_000


EXCEPTIONS = {
    "a message of 200 MB": "class Bad(Exception):\n    def __str__(self): return 'A' * (200 << 20)\ndef attack(): raise Bad\n",
    "a message that fails": "class Bad(Exception):\n    def __str__(self): raise Bad\ndef attack(): raise Bad\n",
    "a message that is no text": "class Bad(Exception):\n    __str__ = lambda self: type('S', (str,), {'__getitem__': 1})('x')\ndef attack(): raise Bad\n",
    "a message that prints": "class Bad(Exception):\n    def __str__(self): print('again'); return 'x'\ndef attack(): raise Bad\n",
    "a name of 10 MB": "def attack(): raise type('B' * (10 << 20), (Exception,), {})\n",
    "a traceback of 100,000 frames": """
        import sys
        def attack(depth=0):
            sys.setrecursionlimit(10**6)
            if depth == 100_000: raise ValueError("deep down")
            return attack(depth + 1)
    """,
    "a traceback with vast lines": "def attack(): raise ValueError(" + "'" + "v" * 500_000 + "'" + ")\n",
    "a circle of causes": """
        def attack():
            one, other = ValueError("one"), ValueError("other")
            one.__cause__, other.__cause__ = other, one
            raise one
    """,
    "a group in a group in a group": """
        def attack():
            group = ValueError("inner")
            for _ in range(5000): group = ExceptionGroup("outer", [group])
            raise group
    """,
    "another class than it says": """
        class Bad(Exception):
            @property
            def __class__(self): return NotImplementedError
        def attack(): raise Bad
    """,
    "no exception at all": "def attack(): raise 'text'\n",
    "the end of the generator": "def attack(): raise GeneratorExit\n",
    "the end of the program": "def attack(): raise SystemExit(0)\n",
    "a lone surrogate": "def attack(): raise ValueError('\\ud800' * 10)\n",
    "a file name that is another's": """
        def attack():
            exec(compile("raise ValueError('from elsewhere')", "student/../../etc/passwd.py", "exec"))
    """,
}


@pytest.mark.parametrize("source", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_an_exception_is_told_shortly_or_not_at_all(cage, source):
    outcome = cage.run(source, limits=LIMITS)
    assert isinstance(outcome, Raised | Died), outcome
    if isinstance(outcome, Raised):
        assert len(outcome.message) <= 1000
        assert len(outcome.type_name) <= 200
        assert len(outcome.trace) <= 5000
        assert len(outcome.trace.splitlines()) < 40
        outcome.message.encode()


SPOILED = {
    "closed": "sys.stdout.close(); sys.stderr.close()",
    "gone": "del sys.stdout, sys.stderr",
    "nothing": "sys.stdout = sys.stderr = None",
    "a loop": "sys.stdout = type('Loop', (), {'write': lambda self, t: print(t), 'flush': lambda self: print('')})()",
    "the descriptor": "os.close(1); os.close(2)",
    "another encoding": "sys.stdout = open(1, 'w', encoding='utf-16', closefd=False)",
    "the locale": "import locale; locale.setlocale(locale.LC_ALL, 'C'); os.environ['PYTHONIOENCODING'] = 'rot13'",
    "the excepthook": "sys.excepthook = sys.unraisablehook = lambda *_: os._exit(0)",
}


@pytest.mark.parametrize("statement", SPOILED.values(), ids=SPOILED)
def test_spoiling_the_streams_spoils_nothing_else(cage, statement):
    source = f"import os, sys\ndef attack():\n    {statement}\n    return 1\n"
    outcome = cage.run(source)
    assert isinstance(outcome, Died | Raised) or outcome.value == 1


HOSTILE_TEXTS = {
    "a script": "</pre><script>alert(1)</script><img src=x onerror=alert(1)>",
    "an end of the document": "]]></failure></testcase></testsuite><testcase name='forged'/>",
    "terminal commands": "\x1b]0;title\x07\x1b[2J\x1b[1;1H\x1b[32mPASSED\x1b[0m\x9b31m",
    "markup of the terminal library": "[bold green]12 / 12[/] [link=https://example.org]click[/link]",
    "control characters": "".join(map(chr, range(32))) + "\x7f\ufffe\uffff",
    "writing from right to left": "\u202e0 fo 21\u202c\u2066",
    "a carriage return": "failed\rpassed",
}


def report_with(hostile: str) -> Report:
    """A report of which the attacker has had a hand in every text."""
    test = TestResult("small_rows", "failed", 0, 4, hostile, 0.1)
    result = ExerciseResult(
        "normalization.rms_norm", "failed", 0, 12, message=hostile, tests=(test,), evidence=hostile,
        section="lessons/normalization/lesson.md#rms-norm", notes=(hostile,), output=hostile,
    )  # fmt: skip
    return Report(hostile.replace("/", ""), 1, ("process-split",), (result,), (hostile,))


@pytest.mark.parametrize("hostile", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_hostile_text_stays_text_in_every_report(hostile):
    report = report_with(hostile)
    assert Report.from_dict(json.loads(report.to_json())) == report
    page = html.render(report, load_course())
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    document = ElementTree.fromstring(junit.render(report))
    assert [case.get("name") for case in document.iter("testcase")].count("forged") == 0
    shown = click.unstyle(text.render(report, load_course()).replace(r"\x1b", "escape"))
    assert "[2J" not in shown or "escape[2J" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


def test_a_type_with_a_hostile_name_is_described_shortly(cage):
    outcome = cage.run("def attack(): return type('\\x1b[2J' + 'x' * 10**6, (), {})()\n")
    assert isinstance(outcome, NotAValue)
    assert len(outcome.description) <= 200
