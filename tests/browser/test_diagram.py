"""The diagram in a real browser: its numbers for any configuration, its cards, its paths, by mouse and by keyboard."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from grader.course.load import load_course
from grader.site.diagram.configurations import presets, symbols
from grader.site.diagram.figures import BYTES, COUNTS, about, shape, whole
from grader.site.diagram.page import decoder_page
from grader.site.diagram.sizes import evaluate, sizes
from grader.site.diagram.stages import STAGES
from reference.block import trace_block
from reference.lab import forward_flops, kv_cache_bytes
from reference.model import count_parameters

READ = """
() => {
  const texts = (selector, place = document) =>
    [...place.querySelectorAll(selector)].filter((each) => !each.closest("[data-when][hidden]"))
      .map((each) => each.textContent);
  const totals = Object.fromEntries([...document.querySelectorAll("dd [data-total]")]
    .map((each) => [each.dataset.total, [each.textContent, each.nextElementSibling.textContent]]));
  const stages = Object.fromEntries([...document.querySelectorAll(".card")].map((card) => {
    const id = card.id.replace("stage-", "");
    const names = texts(".shapes tbody th", card), shapes = texts(".shapes .shape", card);
    const costs = [...card.querySelectorAll("[data-quantity]")].map((cost) => texts("[data-scope]", cost));
    const row = texts(`[data-stage-row="${id}"] [data-sum]`);
    return [id, { shapes: names.map((name, place) => [name, shapes[place]]), costs, row }];
  }));
  return {
    totals, stages, footer: texts("tfoot [data-total]"), impossible: document.querySelector(".impossible").textContent,
    leaves: texts(".leaves"), all: document.querySelector("main").textContent,
  };
}
"""
TYPE = """
(fields) => {
  const form = document.querySelector(".configuration");
  for (const [name, value] of Object.entries(fields)) {
    const field = form.querySelector(`[name="${name}"]`);
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}
"""
CARDS_SEEN = """
() => [...document.querySelectorAll(".card")].filter((card) => card.checkVisibility()).map(({ id }) => ({ id }))
"""
NUMBERS_SEEN = """
() => [...document.querySelectorAll(
  ".leaves, dd [data-total], [data-about], [data-scope], [data-axes], [data-sum], [data-symbol]")]
  .filter((each) => !each.closest("[data-when][hidden]")).map((each) => each.textContent)
"""
OWN = f"(settings) => settings.map((fields) => {{ ({TYPE})(fields); return ({READ})(); }})"


@pytest.fixture(scope="module")
def decoder_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("diagram") / "decoder.html"
    file.write_text(decoder_page(load_course()), encoding="utf-8")
    return file


@pytest.fixture
def opened(decoder_file: Path, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the page, perhaps at a stage."""

    def at(hash_: str = "", width: int = 1280, **context: Any) -> Page:
        tab = new_page(width, **context)
        tab.goto(decoder_file.as_uri() + hash_)
        return tab

    return at


def in_diagram(tab: Page, name: str) -> Locator:
    """A stage of the diagram."""
    return tab.locator(".stages").get_by_role("link", name=name)


def possible(seed: int) -> tuple[dict[str, Any], int, int]:
    """A configuration, tokens and bytes of a number, from tiny to far beyond what a float holds exactly."""
    draw = random.Random(seed)
    large = 10 ** draw.randint(0, 5)
    kv_heads, sharing = draw.randint(1, 12), draw.randint(1, 6)
    heads = kv_heads * sharing
    config = {
        "family": draw.choice(["gpt2", "llama"]),
        "vocab": draw.randint(1, 90 * large),
        "d_model": heads * 2 * draw.randint(1, 64),
        "n_blocks": draw.randint(1, 200),
        "n_heads": heads,
        "n_kv_heads": kv_heads,
        "d_hidden": draw.randint(1, 90 * large),
        "max_positions": draw.randint(500 * large, 900 * large),
        "tied": draw.random() < 0.5,
    }
    return config, draw.randint(1, 400 * large), draw.choice([1, 2, 4])


def assert_shown(found: dict[str, Any], config: dict[str, Any], tokens: int, width: int) -> None:
    """Every number that the page shows is that of the reference, or adds up to it."""
    values = symbols(config, tokens, bytes_per_value=width)
    parameters = count_parameters(config)
    totals = {"parameters": parameters, "weights": parameters * width}
    totals["cache"] = kv_cache_bytes(values["N"], values["Hkv"], values["K"], tokens, 1, width)
    if config["family"] == "llama":
        totals["flops"] = forward_flops(config, tokens)
    for name, total in totals.items():
        assert found["totals"][name] == [
            whole(total),
            about(total, COUNTS if name in ("parameters", "flops") else BYTES),
        ]
    assert found["footer"] == [found["totals"][name][0] for name in ("parameters", "flops", "cache")]
    assert found["impossible"] == ""
    assert not re.search(r"NaN|undefined|Infinity", found["all"])

    rows = [[int(cell.replace(",", "")) for cell in found["stages"][stage.id]["row"]] for stage in STAGES]
    assert [whole(sum(column)) for column in zip(*rows, strict=True)] == found["footer"]
    for stage in STAGES:
        shown = found["stages"][stage.id]
        each = sizes(config["family"], config["tied"])[stage.id]
        assert shown["shapes"] == [[made.name, shape(made.sizes(values))] for made in (*each.tensors, *each.weights)]
        for costs, total, polynomial in zip(
            shown["costs"], shown["row"], (each.parameters, each.flops, each.cache), strict=True
        ):
            once = evaluate(polynomial, values)
            assert costs == ([whole(once), whole(once * values["N"])] if stage.of_block else [whole(once)])
            assert costs[-1] == total
    assert found["leaves"] == [
        shape(sizes(config["family"], config["tied"])[s.id].tensors[-1].sizes(values)) for s in STAGES
    ]
    if config["family"] == "llama":
        keys = ("d_model", "n_heads", "n_kv_heads", "d_hidden")
        traced = trace_block({**{key: config[key] for key in keys}, "batch": 1, "seq": tokens})
        cards = [entry for stage in STAGES for entry in found["stages"][stage.id]["shapes"]]
        assert all([name, str(sizes_)] in cards for name, sizes_ in traced)


def test_the_numbers_of_ones_own_model_are_the_references(opened: Callable[..., Page]) -> None:
    tab = opened()
    tab.get_by_label("Your own numbers").check()
    drawn = [possible(seed) for seed in range(20)]
    shown = tab.evaluate(OWN, [{**config, "tokens": tokens, "bytes": width} for config, tokens, width in drawn])
    for found, (config, tokens, width) in zip(shown, drawn, strict=True):
        assert_shown(found, config, tokens, width)
    assert max(int(found["totals"]["flops"][0].replace(",", "")) for found in shown) > 2**60


def test_the_numbers_of_the_known_models_are_the_references(opened: Callable[..., Page]) -> None:
    tab = opened()
    for preset in presets():
        tab.get_by_label(preset.name, exact=True).check()
        assert_shown(tab.evaluate(f"({READ})()"), dict(preset.config), preset.tokens, 2)


def test_more_tokens_than_a_model_was_trained_on_are_counted_and_remarked_on(opened: Callable[..., Page]) -> None:
    tab = opened()
    tab.get_by_label("Tokens, T").fill("81")
    expect(tab.locator(".beyond")).to_have_text(
        "The course's model was trained on at most 80 tokens at a time; the sizes hold beyond them too."
    )
    expect(tab.locator("[data-total=cache]").first).to_have_text("51,840")
    tab.get_by_label("Tokens, T").fill("80")
    expect(tab.locator(".beyond")).to_be_empty()


def test_without_a_script_every_card_of_the_courses_model_is_there(opened: Callable[..., Page]) -> None:
    still = opened(java_script_enabled=False)
    assert [card["id"] for card in still.evaluate(CARDS_SEEN)] == [f"stage-{stage.id}" for stage in STAGES]
    in_diagram(still, "Masked attention").click()
    assert still.url.endswith("#stage-attention")
    assert still.locator(".configuration").is_hidden()
    moving = opened()
    assert moving.evaluate(NUMBERS_SEEN) == still.evaluate(NUMBERS_SEEN)


IMPOSSIBLE = [
    ({"d_model": "65"}, "D = 65 cannot be cut into H = 4 heads", ["d_model", "n_heads"]),
    ({"d_model": "20"}, "Heads of width K = D / H = 5 cannot be turned in pairs", ["d_model", "n_heads"]),
    ({"n_kv_heads": "3"}, "H = 4 query heads cannot share Hkv = 3 key-value heads", ["n_heads", "n_kv_heads"]),
    ({"vocab": ""}, "Vocabulary, V: a whole number from 1 to 10,000,000 is needed", ["vocab"]),
    ({"n_blocks": "0"}, "Blocks, N: a whole number from 1", ["n_blocks"]),
    ({"d_hidden": "1.5"}, "Hidden width, F: a whole number from 1", ["d_hidden"]),
    ({"tokens": "1e30"}, "Tokens, T: a whole number from 1", ["tokens"]),
    (
        {"family": "gpt2", "tokens": "81"},
        "The position table has 80 rows: 81 tokens do not fit",
        ["tokens", "max_positions"],
    ),
]


def test_an_impossible_model_is_explained_and_leaves_the_numbers_alone(opened: Callable[..., Page]) -> None:
    tab = opened()
    for fields, sentence, marked in IMPOSSIBLE:
        tab.get_by_role("radio", name="The course's model").check()
        tab.get_by_label("Your own numbers").check()
        before = tab.evaluate(f"({READ})()")["totals"]
        tab.evaluate(f"({TYPE})", fields)
        found = tab.evaluate(f"({READ})()")
        assert found["impossible"].startswith(sentence)
        assert found["totals"] == before
        invalid = tab.locator("[aria-invalid]").evaluate_all("fields => fields.map((field) => field.name)")
        assert sorted(invalid) == sorted(marked)


def test_tabbing_and_arrows_lead_from_stage_to_stage_and_show_their_cards(opened: Callable[..., Page]) -> None:
    tab = opened()
    in_diagram(tab, "Tokens").focus()
    for stage in STAGES[1:]:
        tab.keyboard.press("Tab")
        expect(tab.locator(".card:visible")).to_have_id(f"stage-{stage.id}")
        expect(tab.locator(".stage a[aria-current]")).to_have_attribute("href", f"#stage-{stage.id}")
    tab.keyboard.press("ArrowUp")
    expect(tab.locator(".card:visible h3")).to_have_text("Unembedding")
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowDown")
    expect(tab.locator(".card:visible h3")).to_have_text("Embedding and positions")
    assert tab.url.endswith("#stage-embedding")
    expect(tab.locator(".stage-said")).to_have_text(
        "Embedding and positions: its output has the shape (1, 16, 64); 9,600 parameters."
    )


def test_enter_goes_to_the_card_and_a_link_leads_back(opened: Callable[..., Page]) -> None:
    tab = opened(width=390)
    in_diagram(tab, "Feed-forward").press("Enter")
    expect(tab.locator("#stage-feed-forward")).to_be_focused()
    expect(tab.locator("#stage-feed-forward h3")).to_be_in_viewport()
    tab.get_by_role("link", name="Back to the diagram").press("Enter")
    expect(in_diagram(tab, "Feed-forward")).to_be_focused()


def test_an_address_leads_to_a_stage(opened: Callable[..., Page]) -> None:
    tab = opened("#stage-softmax")
    expect(tab.locator(".card:visible h3")).to_have_text("Softmax")
    expect(tab.locator(".card:visible h3")).to_be_in_viewport()
    expect(in_diagram(tab, "Softmax")).to_be_in_viewport()
    tab.evaluate("location.hash = '#stage-final-norm'")
    expect(tab.locator(".card:visible h3")).to_have_text("Final norm")
    expect(opened("#stage-softmax", width=390).locator("#stage-softmax h3")).to_be_in_viewport()


def test_both_residual_paths_can_be_traced(opened: Callable[..., Page]) -> None:
    tab = opened()
    traced, said = tab.locator(".sublayer.traced"), tab.locator(".trace-said")
    first = tab.get_by_role("button", name="Around attention")
    first.press("Enter")
    expect(traced).to_have_attribute("data-sublayer", "attention")
    expect(said).to_contain_text("passes by norm and attention unchanged")
    first.press("Enter")
    expect(traced).to_have_count(0)
    tab.get_by_role("button", name="Around feed-forward").click()
    expect(traced).to_have_attribute("data-sublayer", "feed-forward")
    in_diagram(tab, "Add 1").focus()
    expect(traced).to_have_attribute("data-sublayer", "attention")
    expect(first).to_have_attribute("aria-pressed", "true")
    in_diagram(tab, "Add 2").click()
    expect(said).to_contain_text("passes by norm and network unchanged")
    in_diagram(tab, "Softmax").focus()
    expect(traced).to_have_count(0)


@pytest.mark.parametrize("width", [320, 1060])
def test_nothing_is_wider_than_the_screen_even_with_the_largest_numbers(
    opened: Callable[..., Page], width: int
) -> None:
    tab = opened(width=width)
    tab.get_by_label("Your own numbers").check()
    most = {"n_blocks": 10000, "d_model": 1000000, "n_heads": 100000, "n_kv_heads": 100000, "d_hidden": 10000000}
    tab.evaluate(f"({TYPE})", {**most, "vocab": 10000000, "tokens": 100000000})
    assert tab.locator("[data-total=flops]").first.text_content() != "6,533,120"
    for stage in STAGES:
        tab.locator(f".stage a[href='#stage-{stage.id}']").focus()
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
