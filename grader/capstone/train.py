"""`python -m grader.capstone.train`: train the capstone's model from a seed, with the course's own functions.

It can be stopped with Ctrl-C at any step; the same command goes on where it stopped, to the bit.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import torch
from torch import Tensor

from grader.capstone import carried, corpus, grammar, model, ngram
from grader.capstone.checkpoint import Recipe, TrainingState, restore, save
from grader.capstone.progress import progress
from grader.capstone.training import advance, begin, mean_loss, training_windows
from grader.errors import GraderFault, UserError

HELD_OUT_SEED = 0
HELD_OUT_WINDOWS = 512
CARRIED_DOCUMENTS = 200
_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
_DEFAULTS = Recipe()


@dataclass(frozen=True)
class Stops:
    """Where a run keeps its checkpoint, how often it writes one, and, for tests, after how many steps it is cut off."""

    file: Path
    every: int
    cut_after: int | None = None


def train(recipe: Recipe, config: dict[str, Any], stops: Stops) -> TrainingState:
    """Run a recipe to its end, or on from its checkpoint.

    Raises:
        UserError: the checkpoint is broken, of another recipe, or cannot be written.
        KeyboardInterrupt: the run was stopped; the checkpoint holds the last whole step.
    """
    state = restore(stops.file, recipe) or begin(config, recipe)
    if state.step:
        click.echo(f"Going on after step {state.step} of {recipe.steps} ({stops.file}).")
    with progress(state.step, recipe.steps) as show:
        try:
            while state.step < recipe.steps:
                state, loss = advance(state, config, recipe)
                show(state.step, loss)
                if state.step == stops.cut_after:
                    raise KeyboardInterrupt
                if state.step % stops.every == 0 or state.step == recipe.steps:
                    save(stops.file, recipe, state)
        except KeyboardInterrupt:
            save(stops.file, recipe, state)
            raise
    return state


def measured(recipe: Recipe, config: dict[str, Any], weights: dict[str, Tensor]) -> model.TrainingRecord:
    """Measure finished weights, as rounded for the file, and the n-gram baseline on the same held-out windows.

    The baseline counts exactly the words that the model was trained on; its order is the one that does best held-out.
    """
    held_out = corpus.windows(HELD_OUT_SEED, HELD_OUT_WINDOWS, recipe.length, held_out=True)
    seen = torch.cat([training_windows(recipe, step) for step in range(recipe.steps)])
    losses = ngram.losses_by_order(seen, held_out)
    order = min(range(len(losses)), key=losses.__getitem__) + 1
    return model.TrainingRecord(
        seed=recipe.seed,
        steps=recipe.steps,
        words=recipe.steps * recipe.batch * recipe.length,
        torch=torch.__version__,
        held_out_seed=HELD_OUT_SEED,
        held_out_windows=HELD_OUT_WINDOWS,
        held_out_length=recipe.length,
        held_out_loss=mean_loss(weights, config, held_out),
        oracle_loss=corpus.oracle_loss(held_out),
        entropy=grammar.window_entropy(recipe.length),
        ngram_loss=losses[order - 1],
        ngram_order=order,
    )


def summary(record: model.TrainingRecord) -> str:
    """What a run came to, as lines of text. All losses are in nats a word."""
    mine, baseline = record.held_out_loss, f"{record.ngram_order}-gram baseline"
    rows = (
        ("held-out loss", mine, f"on {record.held_out_windows} windows of {record.held_out_length} words, in float16"),
        ("entropy", record.entropy, f"of the grammar: the least expected loss; ratio {mine / record.entropy:.3f}"),
        ("oracle", record.oracle_loss, f"the grammar on these very windows; ratio {mine / record.oracle_loss:.3f}"),
        (baseline, record.ngram_loss, f"on the same {record.words:,} words; margin {record.ngram_loss - mine:.4f}"),
    )
    return "\n".join(f"{name:<20}{loss:.4f} nats a word  {note}" for name, loss, note in rows)


def against_shipped(record: model.TrainingRecord) -> str:
    """How this run compares with the weights that come with the course."""
    try:
        shipped = model.load().training
    except GraderFault as fault:
        return f"Not compared with the course's own weights: {fault}"
    change = record.held_out_loss / shipped.held_out_loss - 1
    return f"{'shipped weights':<20}{shipped.held_out_loss:.4f} nats a word  this run differs by {change:+.2%}"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--seed", type=click.IntRange(min=0), default=_DEFAULTS.seed, show_default=True, help="Of weights and text."
)
@click.option(
    "--steps", type=click.IntRange(min=2), default=_DEFAULTS.steps, show_default=True, help="How long to train."
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=_DEFAULTS.threads, show_default=True, help="Cores to use."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("capstone.safetensors"),
    show_default=True,
    help="Where to write the weights.",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to keep the state of the run.  [default: beside --out]",
)
@click.option("--every", type=click.IntRange(min=1), default=200, show_default=True, help="Steps between checkpoints.")
@click.option("--fresh", is_flag=True, help="Begin again, though there is a checkpoint.")
def main(seed: int, steps: int, threads: int, out: Path, checkpoint: Path | None, every: int, fresh: bool) -> None:
    """Train the model of `anatomy run` on the course's grammar. Ctrl-C stops it; the same command goes on."""
    file = checkpoint or out.with_name(f"{out.name}.checkpoint")
    recipe = Recipe(seed=seed, steps=steps, warmup_steps=min(_DEFAULTS.warmup_steps, steps // 2), threads=threads)
    try:
        if fresh:
            file.unlink(missing_ok=True)
        _run(recipe, out, Stops(file, every))
    except KeyboardInterrupt:
        kept = f"The state is in {file}; the same command goes on from there." if file.exists() else "Nothing was kept."
        click.echo(f"Stopped. {kept}", err=True)
        sys.exit(_INTERRUPTED)
    except (UserError, GraderFault) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)


def _run(recipe: Recipe, out: Path, stops: Stops) -> None:
    """Train, measure, write, and only then drop the checkpoint."""
    torch.set_num_threads(recipe.threads)
    config = dict(model.CONFIG)
    weights = model.rounded(train(recipe, config, stops).parameters)
    record = measured(recipe, config, weights)
    click.echo(summary(record))
    click.echo(against_shipped(record))
    found = carried.measure(weights, config, recipe.seed, CARRIED_DOCUMENTS)
    click.echo(f"owner's name        right at the end of {found.name} stories")
    click.echo(f"                    not named since the first sentence: {found.far}")
    click.echo(f"number              right after a relative clause in {found.number} places")
    click.echo(f"                    with a noun of the other number nearest: {found.against}")
    click.echo(f"impossible words    get {found.impossible:.2%} of the probability")
    size = model.store(out, config, weights, record)
    click.echo(f"Wrote {out}: {size:,} bytes.")
    stops.file.unlink(missing_ok=True)


if __name__ == "__main__":
    main(prog_name="python -m grader.capstone.train")
