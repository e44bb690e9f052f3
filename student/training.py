"""Training: Write one training step of a language model from its parts, the loss, clipping, AdamW, the learning rate
and accumulation, each exact.

Read lessons/training/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .objective import ...`.

    anatomy grade training                grade the whole lesson
    anatomy grade training.sequence_loss  grade one function
    anatomy hint training.sequence_loss   when you are stuck
"""

from typing import Any

import torch
from torch import Tensor


def sequence_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Mean next-token loss of whole sequences, in nats: position t is scored against token t + 1 of its own row.

    Args:
        logits: `(B, T, V)` what the model gave for all T tokens; those of the last position have no target.
        tokens: `(B, T)` int64, the very tokens that the model read. All of them count: no id is set aside.

    Returns:
        A scalar in the dtype of `logits`: the mean over B(T-1) targets.

    Raises:
        ValueError: T < 2, or B = 0: there is no target.

    Source: Radford et al. (2018), Improving Language Understanding by Generative Pre-Training, eq. 1, as a mean.
    """
    # TODO: Score the logits of each position against the next token of its row; the mean over all of them.
    raise NotImplementedError


def clip_gradients(gradients: dict[str, Tensor], max_norm: float) -> tuple[dict[str, Tensor], Tensor]:
    """Shorten all gradients by one common factor where together they are longer than `max_norm`.

    The length is the 2-norm of all entries of all tensors, as if they were one vector. The factor is
    `max_norm / length` above `max_norm` (right to 1e-5) and 1 otherwise, so that the direction never changes.

    Args:
        gradients: tensors of any shapes by name, of one dtype.
        max_norm: the largest length allowed, > 0.

    Returns:
        `(clipped, length)`: a dict with the same names, shapes and dtypes, and the length before clipping, a scalar
        tensor or a float. Gradients of 0 stay 0.

    Source: Pascanu, Mikolov, Bengio (2013), On the difficulty of training recurrent neural networks,
        arXiv:1211.5063, algorithm 1.
    """
    # TODO: One 2-norm over all entries of all tensors; scale all by one factor if it is above max_norm.
    raise NotImplementedError


def adamw_step(
    parameters: dict[str, Tensor],
    gradients: dict[str, Tensor],
    state: dict[str, Any],
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """One step of Adam with decoupled weight decay.

    With g the gradient and t the number of the step (1, 2, ...), for every entry of every tensor

        m <- beta1 m + (1 - beta1) g            v <- beta2 v + (1 - beta2) g^2          (both 0 before step 1)
        m_hat = m / (1 - beta1^t)               v_hat = v / (1 - beta2^t)
        p <- p - lr weight_decay p - lr m_hat / (sqrt(v_hat) + eps)

    where the decay, taken from the old p, is left out for tensors of fewer than two axes (gains, shifts, biases).

    Args:
        parameters: tensors of any shapes by name.
        gradients: one for each parameter, under its name, in any order.
        state: `{}` before the first step, later the state that the step before returned.
        lr: the learning rate of this step.
        betas: beta1 and beta2.
        eps: added to the root, after its bias correction.
        weight_decay: its product with `lr` is the part of p that goes.

    Returns:
        `(new parameters, new state)`: tensors with the old names, shapes and dtypes; the layout of the state is your
        own. Parameters, gradients and the old state are as they were: the old state gives the same step again.

    Source: Loshchilov, Hutter (2019), Decoupled Weight Decay Regularization, arXiv:1711.05101, algorithm 2, with the
        decay multiplied by lr as in torch.optim.AdamW; Kingma, Ba (2015), Adam, arXiv:1412.6980, algorithm 1.
    """
    # TODO: Move every parameter by one step of AdamW and return the new parameters with the new state; change nothing.
    raise NotImplementedError


def cosine_lr(step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> float:
    """The learning rate of one step: up in a straight line, down along half a cosine, then level.

    Args:
        step: 0 for the first step.
        max_lr: reached by step `warmup_steps - 1`, the last of the warm-up, and still that of step `warmup_steps`.
        min_lr: reached at step `total_steps` and kept after it.
        warmup_steps: at least 0, less than `total_steps`. During warm-up the rate is
            `max_lr (step + 1) / warmup_steps`, so the first step already learns. With 0 it starts at `max_lr`.
        total_steps: where the cosine ends.

    Returns:
        The rate. After warm-up it goes down from `max_lr` to `min_lr` as `(1 + cos(pi p)) / 2` does from 1 to 0, with
        `p = (step - warmup_steps) / (total_steps - warmup_steps)`.

    Source: Loshchilov, Hutter (2017), SGDR, arXiv:1608.03983, eq. 5, without restarts; linear warm-up: Goyal et al.
        (2017), arXiv:1706.02677, section 2.2.
    """
    # TODO: Linear warm-up, half a cosine from max_lr to min_lr, min_lr from total_steps on.
    raise NotImplementedError


def accumulate_loss(sums: list[Tensor], counts: list[int]) -> Tensor:
    """The mean loss of a batch that was cut into micro-batches: every target weighs the same, wherever it stood.

    Args:
        sums: M scalar tensors, the summed losses of the targets of each micro-batch.
        counts: M whole numbers, how many targets each micro-batch had; some may be 0.

    Returns:
        A scalar in the dtype of `sums`: all losses added up, divided by the number of all targets. Its gradient is
        that of the whole batch.

    Raises:
        ValueError: nothing counts: the counts add up to 0, or there are no micro-batches.

    Source: Goyal et al. (2017), arXiv:1706.02677, section 3, remark 3: normalise by the size of the whole batch.
    """
    # TODO: The mean over all targets of all micro-batches, from summed losses and counts.
    raise NotImplementedError
