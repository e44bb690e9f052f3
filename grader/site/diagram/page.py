"""The page of the diagram: every stage with its card, for the course's model until another one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from grader.course.headings import headings
from grader.course.model import Course
from grader.site.diagram.configurations import Preset, presets, symbols
from grader.site.diagram.figures import BYTES, COUNTS, about, shape_of, whole
from grader.site.diagram.sizes import Polynomial, Shape, Sizes, evaluate, sizes, tex
from grader.site.diagram.stages import FAMILIES, PATHS, STAGES, SUBLAYERS, Stage, stages_of
from grader.site.pages import page
from grader.site.text import inline, prose

VARIANTS = tuple((family, tied) for family in FAMILIES for tied in (True, False))
"""The designs that differ in what a stage learns or costs."""
QUANTITIES = {"parameters": "Parameters", "flops": "Operations", "cache": "Cache, bytes"}
NONE = {"parameters": "nothing is learned", "flops": "no matrix product", "cache": "nothing is kept"}
"""Why a quantity is 0."""
TOTALED_BY = ("model.count_parameters", "lab.forward_flops", "lab.kv_cache_bytes", "block.trace_block")
"""The functions of the course that give the numbers of this page."""
BYTES_PER_VALUE = 2


@dataclass(frozen=True, slots=True)
class Written:
    """Something that only some designs have, or have in this form; `now`: the page begins with one of them."""

    html: Markup
    variants: str
    now: bool


def decoder_page(course: Course, *, live: bool = False, grades: Mapping[str, str] | None = None) -> str:
    """The page. grades: how an exercise stands, in a few words, by its id; exercises without one say nothing yet."""
    first = presets()[0]
    chosen = _variant(first.config["family"], first.config["tied"])
    cards = {stage.id: _card(course, stage, chosen) for stage in STAGES}
    begins = symbols(first.config, first.tokens, bytes_per_value=BYTES_PER_VALUE)
    now = sizes(first.config["family"], first.config["tied"])
    return page(
        "decoder.html",
        scripts=("core", "sizes", "diagram", *(("renew", "live") if live else ())),
        live=live,
        stages=STAGES,
        sublayers=SUBLAYERS,
        stages_of=stages_of,
        paths=PATHS,
        cards=cards,
        quantities=QUANTITIES,
        presets=presets(),
        first=first,
        symbols=begins,
        made=lambda tensor: shape_of(tensor, begins),
        leaves={stage.id: now[stage.id].tensors[-1] for stage in STAGES},
        amount=lambda stage, quantity, scope: whole(_amount(now[stage.id], stage, quantity, scope, begins)),
        totals=totals(first),
        compared=[totals(preset) for preset in presets()],
        whole=whole,
        written_by=[course.exercise(exercise) for exercise in TOTALED_BY],
        grades=grades or {},
        data=page_data(),
    )


def totals(preset: Preset) -> dict[str, tuple[int, str]]:
    """What a preset comes to: each number, and how it reads."""
    of_preset = symbols(preset.config, preset.tokens, bytes_per_value=BYTES_PER_VALUE)
    parts = sizes(preset.config["family"], preset.config["tied"])
    sums = {
        quantity: sum(_amount(parts[stage.id], stage, quantity, "all", of_preset) for stage in STAGES)
        for quantity in QUANTITIES
    }
    weights = sums["parameters"] * BYTES_PER_VALUE
    return {
        "parameters": (sums["parameters"], about(sums["parameters"], COUNTS)),
        "weights": (weights, about(weights, BYTES)),
        "flops": (sums["flops"], about(sums["flops"], COUNTS)),
        "cache": (sums["cache"], about(sums["cache"], BYTES)),
    }


def page_data() -> dict[str, Any]:
    """What the page's script computes from: the presets, and every size as a sum of products."""
    return {
        "presets": {preset.id: {"config": dict(preset.config), "tokens": preset.tokens} for preset in presets()},
        "stages": [{"id": stage.id, "name": stage.name, "block": stage.of_block} for stage in STAGES],
        "paths": {path.sublayer: path.words for path in PATHS},
        "sizes": {
            _variant(*variant): {
                stage: {quantity: _listed(_polynomial(each, quantity)) for quantity in QUANTITIES}
                for stage, each in sizes(*variant).items()
            }
            for variant in VARIANTS
        },
        "units": {"counts": COUNTS, "bytes": BYTES},
    }


def _card(course: Course, stage: Stage, chosen: str) -> dict[str, Any]:
    """What stands on a stage's card besides its numbers."""
    by_design: dict[str, list[Written]] = {
        "words": _by_family(stage.words, inline, chosen),
        "formula": _by_family(stage.formula, prose, chosen),
        "reads": _by_family(stage.sections, lambda anchor: _link_to(course, stage.lesson, anchor), chosen),
    }
    exercises = sorted(
        {exercise for family in stage.exercises for exercise in family},
        key=lambda each: (max(ids.index(each) for ids in stage.exercises if each in ids), each),
    )
    return {
        **by_design,
        "tensors": held_by(stage, "tensors", chosen),
        "weights": held_by(stage, "weights", chosen),
        "learns": " ".join(_variant(*variant) for variant in VARIANTS if sizes(*variant)[stage.id].weights),
        "learns_now": any(now for *_, now in held_by(stage, "weights", chosen)),
        "formulas": {
            quantity: _grouped(
                {variant: _in_tex(sizes(*variant)[stage.id], quantity) or NONE[quantity] for variant in VARIANTS},
                inline,
                chosen,
            )
            for quantity in QUANTITIES
        },
        "exercises": [(course.exercise(each), *_used_by(stage, each, chosen)) for each in exercises],
    }


def _by_family(texts: tuple[str, str], write: Callable[[str], Markup], chosen: str) -> list[Written]:
    of_family = dict(zip(FAMILIES, texts, strict=True))
    return _grouped({variant: of_family[variant[0]] for variant in VARIANTS}, write, chosen)


def _grouped(texts: Mapping[tuple[str, bool], str], write: Callable[[str], Markup], chosen: str) -> list[Written]:
    """Each different text once, with the designs that have it."""
    found: list[Written] = []
    for text in dict.fromkeys(texts.values()):
        variants = [_variant(*variant) for variant, its_text in texts.items() if its_text == text]
        found.append(Written(write(text), " ".join(variants), chosen in variants))
    return found


def held_by(stage: Stage, which: str, chosen: str = "") -> list[tuple[Shape, Markup, str, bool]]:
    """Tensors or weights of a stage in every design, each with the designs that have it, in an order that suits all."""
    places: dict[Shape, dict[str, int]] = {}
    for variant in VARIANTS:
        for place, each in enumerate(getattr(sizes(*variant)[stage.id], which)):
            places.setdefault(each, {})[_variant(*variant)] = place
    ordered = sorted(places.items(), key=lambda held: max(held[1].values()))
    return [(each, _in_symbols(each.tex), " ".join(held), chosen in held) for each, held in ordered]


def _used_by(stage: Stage, exercise: str, chosen: str) -> tuple[str, bool]:
    families = [family for family, ids in zip(FAMILIES, stage.exercises, strict=True) if exercise in ids]
    variants = [_variant(family, tied) for family, tied in VARIANTS if family in families]
    return " ".join(variants), chosen in variants


def _link_to(course: Course, slug: str, anchor: str) -> Markup:
    lesson = course.lesson(slug)
    heading = next(each for each in headings(lesson.page.read_text("utf-8")) if each.anchor == anchor)
    return Markup('<a href="{}.html#{}">{}: {}</a>').format(slug, anchor, lesson.title, inline(heading.text))


def _in_symbols(written: str) -> Markup:
    return inline(f"${written}$")


def _in_tex(each: Sizes, quantity: str) -> str:
    found = _polynomial(each, quantity)
    return f"${tex(found)}$" if found else ""


def _polynomial(each: Sizes, quantity: str) -> Polynomial:
    found: Polynomial = getattr(each, quantity)
    return found


def _amount(each: Sizes, stage: Stage, quantity: str, scope: str, values: Mapping[str, int]) -> int:
    """Of one stage, or of that stage in all blocks."""
    one = evaluate(_polynomial(each, quantity), values)
    return one * values["N"] if scope == "all" and stage.of_block else one


def _listed(polynomial: Polynomial) -> list[list[int | str]]:
    return [[factor, *names] for factor, names in polynomial]


def _variant(family: str, tied: bool) -> str:
    return f"{family}-{'tied' if tied else 'untied'}"
