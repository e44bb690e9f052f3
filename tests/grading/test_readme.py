"""What the README shows is what the commands print."""

import re
from pathlib import Path

import click

from grader.course.load import load_course
from grader.render import text

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
EPS_OUTSIDE = """
    def rms_norm(x, weight, eps=1e-6):
        wide = x.double()
        return (wide / (wide.pow(2).mean(-1, keepdim=True).sqrt() + eps) * weight).to(x.dtype)
"""


def test_the_verdict_that_the_readme_shows_is_the_one_that_is_printed(desk, with_functions):
    report = desk.grade(with_functions({"normalization.rms_norm": EPS_OUTSIDE}), "normalization.rms_norm")
    page = click.unstyle(text.render(report, load_course()))
    shown = re.search(r"```text\n(Normalization \(normalization\).*?)```", README, re.DOTALL)
    assert shown is not None
    assert page.startswith(shown[1].rstrip())


def test_every_command_that_the_readme_names_exists():
    from grader.cli import main

    names = set(re.findall(r"(?:`|^|&& )anatomy ([a-z]+)", README, re.MULTILINE))
    assert names
    assert names <= set(main.list_commands(click.Context(main)))
