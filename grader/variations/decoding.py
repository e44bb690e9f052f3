"""Right answers to the lesson on decoding, written in other ways."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("decoding")
Cache = tuple[Tensor, Tensor]


@variations.right("apply_temperature")
def one_row_at_a_time(logits: Tensor, temperature: float) -> Tensor:
    """Loops over rows and writes the greedy ones by index."""
    if math.isnan(temperature) or temperature < 0:
        raise ValueError("temperature")
    flat = logits.reshape(-1, logits.shape[-1]).clone()
    for row in flat:
        if temperature > 0:
            row /= temperature
        else:
            best = int(row.argmax())
            row[:] = -torch.inf
            row[best] = 0
    return flat.view(logits.shape)


@variations.right("apply_temperature")
def first_peak_by_cumulative_count(logits: Tensor, temperature: float) -> Tensor:
    """Finds the first maximum by counting maxima, and chooses with where."""
    if not 0 <= temperature < math.inf:
        raise ValueError("temperature")
    if temperature:
        return torch.div(logits, temperature)
    peaks = logits == logits.amax(-1, keepdim=True)
    first = peaks & (peaks.cumsum(-1) == 1)
    return torch.where(first, 0.0, -math.inf).to(logits.dtype)


@variations.right("apply_temperature")
def log_of_one_hot(logits: Tensor, temperature: float) -> Tensor:
    """Takes the logarithm of a one-hot row at temperature 0."""
    if not temperature >= 0:
        raise ValueError("temperature")
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype).log()
    return logits * (1 / temperature)


@variations.right("apply_temperature")
def in_float32(logits: Tensor, temperature: float) -> Tensor:
    """Computes in float32 whatever came in, and casts back."""
    if temperature < 0 or temperature != temperature:
        raise ValueError("temperature")
    if temperature == 0:
        ids = torch.arange(logits.shape[-1])
        return torch.zeros_like(logits).masked_fill(ids != logits.max(-1, keepdim=True).indices, float("-inf"))
    return (logits.float() / temperature).to(logits.dtype)


@variations.right("top_k")
def by_full_sort(logits: Tensor, k: int) -> Tensor:
    """Sorts the whole row for the threshold."""
    if k <= 0:
        raise ValueError("k")
    threshold = logits.sort(-1, descending=True)[0][..., min(k, logits.size(-1)) - 1].unsqueeze(-1)
    return torch.where(logits >= threshold, logits, torch.tensor(-math.inf, dtype=logits.dtype))


@variations.right("top_k")
def by_kth_value(logits: Tensor, k: int) -> Tensor:
    """Searches the k-th smallest of the negated logits."""
    if k < 1:
        raise ValueError("k")
    if k >= logits.shape[-1] or not logits.numel():
        return logits
    threshold = -(-logits).kthvalue(k, dim=-1, keepdim=True).values
    kept = logits.clone()
    kept[logits < threshold] = -math.inf
    return kept


@variations.right("top_k")
def by_counting_larger_ones(logits: Tensor, k: int) -> Tensor:
    """Keeps a token if fewer than k are larger."""
    if k < 1:
        raise ValueError("k")
    larger = (logits[..., None, :] > logits[..., :, None]).sum(-1)
    return logits.masked_fill(larger >= k, -math.inf)


@variations.right("top_k")
def row_by_row(logits: Tensor, k: int) -> Tensor:
    """Works on Python lists, one row after another."""
    if k < 1:
        raise ValueError("k")
    rows = [
        [x if x >= sorted(row, reverse=True)[: max(k, 1)][-1] else -math.inf for x in row]
        for row in logits.reshape(-1, logits.shape[-1]).tolist()
    ]
    return torch.tensor(rows, dtype=logits.dtype).reshape(logits.shape)


@variations.right("top_k")
def added_mask(logits: Tensor, k: int) -> Tensor:
    """Adds 0 or -inf to the logits."""
    if k < 1:
        raise ValueError("k")
    k = min(k, logits.shape[-1])
    mask = torch.zeros_like(logits)
    mask[logits < torch.topk(logits, k).values.min(-1, keepdim=True).values] = -math.inf
    return logits + mask


@variations.right("top_p")
def removal_shifted_by_one(logits: Tensor, p: float) -> Tensor:
    """Marks what comes after p, shifts the marks by one, and scatters them."""
    if p <= 0 or p > 1:
        raise ValueError("p")
    if p == 1.0:
        return logits.clone()
    values, indices = torch.sort(logits, descending=True, stable=True)
    remove = values.softmax(-1).cumsum(-1) >= p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    return logits.masked_fill(remove.scatter(-1, indices, remove), float("-inf"))


@variations.right("top_p")
def from_the_tail(logits: Tensor, p: float) -> Tensor:
    """Sorts ascending and removes the tail whose mass is at most 1 - p."""
    if not 0 < p <= 1:
        raise ValueError("p")
    if p == 1:
        return logits
    # Flipping before a stable ascending sort puts the higher index of two equals nearer to the tail.
    values, order = logits.flip(-1).sort(dim=-1, stable=True)
    remove = values.double().softmax(-1).cumsum(-1) <= 1 - p
    remove[..., -1] = False
    removed = torch.zeros_like(remove).scatter(-1, order, remove).flip(-1)
    return torch.where(removed, torch.full_like(logits, -math.inf), logits)


@variations.right("top_p")
def one_token_at_a_time(logits: Tensor, p: float) -> Tensor:
    """Adds tokens to the set in a Python loop until the mass is reached."""
    if not 0 < p <= 1:
        raise ValueError("p")
    flat = logits.reshape(-1, logits.shape[-1])
    out = torch.full_like(flat, -math.inf)
    for source, target in zip(flat, out, strict=True):
        probabilities = source.double().softmax(0).tolist()
        mass = 0.0
        for token in sorted(range(len(probabilities)), key=lambda t: (-probabilities[t], t)):
            if mass >= p and p < 1:
                break
            target[token] = source[token]
            mass += probabilities[token]
    return out.reshape(logits.shape)


@variations.right("top_p")
def mass_of_more_probable_ones(logits: Tensor, p: float) -> Tensor:
    """Compares every pair of tokens in place of sorting."""
    if not 0 < p <= 1:
        raise ValueError("p")
    if p == 1:
        return logits
    q = logits.double().softmax(-1)
    ids = torch.arange(q.shape[-1])
    ahead = (q[..., None, :] > q[..., :, None]) | ((q[..., None, :] == q[..., :, None]) & (ids < ids[:, None]))
    return logits.masked_fill((ahead * q[..., None, :]).sum(-1) >= p, -math.inf)


@variations.right("top_p")
def cut_by_searchsorted(logits: Tensor, p: float) -> Tensor:
    """Finds how many to keep with searchsorted, and compares ranks with that number."""
    if not 0 < p <= 1:
        raise ValueError("p")
    if p >= 1:
        return logits
    order = torch.argsort(logits, dim=-1, descending=True, stable=True)
    masses = F.softmax(logits.float(), dim=-1).gather(-1, order).cumsum(-1).contiguous()
    count = torch.searchsorted(masses, torch.full_like(masses[..., :1], p)) + 1
    ranks = order.argsort(dim=-1)
    return logits.masked_fill(ranks >= count, -math.inf)


@variations.right("sample")
def by_searchsorted(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Scales the masses and searches on the right side."""
    cumulative = probabilities.double().cumsum(-1)
    cumulative = cumulative / cumulative[:, -1:]
    return torch.searchsorted(cumulative, uniform.double()[:, None].contiguous(), right=True)[:, 0]


@variations.right("sample")
def by_counting(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Counts the cumulative masses that the scaled uniform has passed."""
    cumulative = probabilities.to(torch.float32).cumsum(dim=1)
    passed = cumulative <= uniform.to(torch.float32).unsqueeze(1) * cumulative[:, -1:]
    # In float32 the mark may round up to the total: never beyond the last token that has mass.
    last = probabilities.shape[1] - 1 - (probabilities.flip(1) > 0).int().argmax(1)
    return torch.minimum(passed.sum(1), last)


@variations.right("sample")
def walking_along(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Takes masses off the uniform until it is used up."""
    found = []
    for row, u in zip(probabilities.tolist(), uniform.tolist(), strict=True):
        rest, choice = u * math.fsum(row), -1
        for token, mass in enumerate(row):
            if mass > 0:
                choice = token
                if rest < mass:
                    break
            rest -= mass
        found.append(choice)
    return torch.tensor(found, dtype=torch.int64)


@variations.right("sample")
def first_true_by_where(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Takes the smallest id among those whose cumulative mass exceeds the mark."""
    shares = probabilities.double() / probabilities.double().sum(-1, keepdim=True)
    cumulative = shares.cumsum(-1)
    exceeds = (cumulative > uniform.double()[:, None]) & (probabilities > 0)
    ids = torch.arange(probabilities.shape[1]).expand(probabilities.shape)
    last = torch.where(probabilities > 0, ids, -1).amax(1)
    first = torch.where(exceeds, ids, probabilities.shape[1]).amin(1)
    return torch.minimum(first, last)


@variations.right("sample")
def by_bucketize(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Searches each row with bucketize."""
    out = torch.empty(len(probabilities), dtype=torch.long)
    for i, (row, u) in enumerate(zip(probabilities.double(), uniform.double(), strict=True)):
        edges = row.cumsum(0)
        out[i] = torch.bucketize(u * edges[-1], edges, right=True)
    return out


@variations.right("generate")
def into_a_buffer(
    next_logits: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> Tensor:
    """Fills a buffer of the full length and cuts it at the end."""
    length = prompt.shape[1]
    if length == 0:
        raise ValueError("prompt")
    buffer = torch.zeros(1, length + max_new_tokens, dtype=torch.long)
    buffer[:, :length] = prompt
    end = length
    while end < length + max_new_tokens:
        logits = next_logits(buffer[:, max(0, end - context_length) : end])
        buffer[0, end] = torch.argmax(logits[0, -1])
        end += 1
        if stop_token is not None and int(buffer[0, end - 1]) == stop_token:
            break
    return buffer[:, :end]


@variations.right("generate")
def with_a_list(
    next_logits: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> Tensor:
    """Keeps the text in a Python list."""
    text = prompt[0].tolist()
    if not text:
        raise ValueError("prompt")
    for _ in range(max_new_tokens):
        row = next_logits(torch.tensor([text[-context_length:]]))[0, -1].tolist()
        text.append(row.index(max(row)))
        if text[-1] == stop_token:
            break
    return torch.tensor([text])


@variations.right("generate")
def by_recursion(
    next_logits: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> Tensor:
    """Adds one token and calls itself for the rest."""
    if prompt.numel() == 0:
        raise ValueError("prompt")

    def continued(text: Tensor, left: int) -> Tensor:
        if left == 0:
            return text
        window = text if text.size(1) <= context_length else text[:, text.size(1) - context_length :]
        newest = next_logits(window)[:, -1, :].max(dim=-1, keepdim=True).indices
        longer = torch.hstack([text, newest])
        stopped = stop_token is not None and bool((newest == stop_token).all())
        return continued(longer, 0 if stopped else left - 1)

    return continued(prompt, max_new_tokens)


@variations.right("generate")
def through_temperature_zero(
    next_logits: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> Tensor:
    """Samples at temperature 0 with a uniform of a half."""
    if prompt.shape[-1] < 1:
        raise ValueError("prompt")
    tokens, stopped = prompt.clone(), False
    while tokens.shape[1] < prompt.shape[1] + max_new_tokens and not stopped:
        logits = next_logits(tokens[..., -context_length:].clone())[:, -1]
        greedy = log_of_one_hot(logits, 0.0).softmax(-1)
        newest = by_searchsorted(greedy, torch.full((1,), 0.5, dtype=greedy.dtype))
        tokens = torch.cat((tokens, newest[None]), 1)
        stopped = newest.tolist() == [stop_token]
    return tokens


@variations.right("append_cache")
def one_check_for_all(cache: Cache | None, k: Tensor, v: Tensor) -> Cache:
    """Takes an empty cache for None, so that there is one way through."""
    if k.size() != v.size():
        raise ValueError("shapes")
    old_k, old_v = (k[:, :, :0], v[:, :, :0]) if cache is None else cache
    if old_k.shape[:2] + old_k.shape[3:] != k.shape[:2] + k.shape[3:]:
        raise ValueError("cache")
    return torch.cat((old_k, k), -2), torch.cat((old_v, v), -2)


@variations.right("append_cache")
def written_into_buffers(cache: Cache | None, k: Tensor, v: Tensor) -> Cache:
    """Writes old and new into fresh buffers."""
    if tuple(k.shape) != tuple(v.shape):
        raise ValueError("shapes")
    if cache is None:
        return k.clone(), v.clone()
    batch, heads, new, width = k.shape
    if any((*old.shape[:2], old.shape[-1]) != (batch, heads, width) for old in cache):
        raise ValueError("cache")
    seq = cache[0].shape[2]
    grown = k.new_empty(2, batch, heads, seq + new, width)
    for buffer, old, fresh in zip(grown, cache, (k, v), strict=True):
        buffer[:, :, :seq], buffer[:, :, seq:] = old, fresh
    return grown[0], grown[1]


@variations.right("append_cache")
def torchs_error_translated(cache: Cache | None, k: Tensor, v: Tensor) -> Cache:
    """Lets torch find out whether the shapes fit, and translates its error."""
    if k.shape != v.shape:
        raise ValueError("shapes")
    if cache is None:
        return k, v
    try:
        return torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
    except RuntimeError as error:
        raise ValueError("cache") from error


@variations.right("append_cache")
def joined_both_at_once(cache: Cache | None, k: Tensor, v: Tensor) -> Cache:
    """Stacks keys and values, joins once, and takes them apart."""
    if k.shape != v.shape:
        raise ValueError("shapes")
    if cache is not None and [n for i, n in enumerate(cache[0].shape) if i != 2] != [
        n for i, n in enumerate(k.shape) if i != 2
    ]:
        raise ValueError("cache")
    new = torch.stack([k, v])
    keys, values = (new if cache is None else torch.cat([torch.stack(cache), new], dim=3)).unbind()
    return keys, values


def grow(cache: Cache | None, k: Tensor, v: Tensor) -> Cache:
    """The longer pair, unchecked."""
    return (k, v) if cache is None else (torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2))


@variations.right("attend_cached")
def by_torchs_kernel(q: Tensor, k_new: Tensor, v_new: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
    """Hands an aligned mask to torch's kernel, which groups the heads itself."""
    keys, values = grow(cache, k_new, v_new)
    mask = torch.ones(q.shape[2], keys.shape[2], dtype=torch.bool).tril(keys.shape[2] - q.shape[2])
    if not q.numel():
        return torch.zeros_like(q), (keys, values)
    return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True), (keys, values)


@variations.right("attend_cached")
def by_grouped_einsum(q: Tensor, k_new: Tensor, v_new: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
    """Groups the queries and repeats nothing."""
    keys, values = grow(cache, k_new, v_new)
    batch, heads, new, width = q.shape
    wide = torch.promote_types(q.dtype, torch.float32)
    grouped = q.to(wide).reshape(batch, keys.shape[1], heads // keys.shape[1], new, width)
    scores = torch.einsum("bgrik,bgjk->bgrij", grouped, keys.to(wide)) * width**-0.5
    places = torch.arange(keys.shape[2])
    future = places > places[-new:, None]
    weights = scores.masked_fill(future, -math.inf).softmax(-1)
    out = torch.einsum("bgrij,bgjk->bgrik", weights, values.to(wide))
    return out.reshape(q.shape).to(q.dtype), (keys, values)


@variations.right("attend_cached")
def one_query_at_a_time(q: Tensor, k_new: Tensor, v_new: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
    """Each query sees a slice of the keys, so that no mask is needed."""
    keys, values = grow(cache, k_new, v_new)
    group, seq, new = q.shape[1] // keys.shape[1], keys.shape[2], q.shape[2]
    rows = []
    for i in range(new):
        end = seq - new + i + 1
        k, v = (x[:, :, :end].float() if x.dtype == torch.bfloat16 else x[:, :, :end] for x in (keys, values))
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        scores = (q[:, :, i, None].to(k.dtype) / math.sqrt(q.shape[-1])) @ k.mT
        rows.append(scores.softmax(-1) @ v)
    return torch.cat(rows, dim=2).to(q.dtype), (keys, values)


@variations.right("attend_cached")
def softmax_in_two_parts(q: Tensor, k_new: Tensor, v_new: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
    """Attends to the cache and to the chunk apart, and joins the two by their totals."""
    group, new = q.shape[1] // k_new.shape[1], q.shape[2]
    wide = torch.promote_types(q.dtype, torch.float32)
    future = torch.ones(new, new, dtype=torch.bool).triu(1)
    logs, means = [], []
    for part in (cache, (k_new, v_new)):
        if part is None:
            continue
        k, v = (x.to(wide).repeat_interleave(group, dim=1) for x in part)
        scores = q.to(wide) @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        if part is not cache:
            scores = scores.masked_fill(future, float("-inf"))
        logs.append(scores.logsumexp(-1, keepdim=True))
        means.append(scores.softmax(-1) @ v)
    shares = torch.stack(logs).softmax(0)
    out = (shares * torch.stack(means)).sum(0)
    return out.to(q.dtype), grow(cache, k_new, v_new)


@variations.right("attend_cached")
def additive_mask(q: Tensor, k_new: Tensor, v_new: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
    """Adds a mask of 0 and -inf to the scores of expanded heads."""
    keys, values = cache = grow(cache, k_new, v_new)
    batch, kv_heads, seq, width = keys.shape
    group = q.shape[1] // kv_heads
    sizes = (batch, kv_heads, group, seq, width)
    k, v = (x[:, :, None].expand(sizes).flatten(1, 2).double() for x in (keys, values))
    mask = torch.full((q.shape[2], seq), -math.inf, dtype=torch.float64).triu(seq - q.shape[2] + 1)
    weights = F.softmax(q.double() @ k.transpose(-1, -2) / width**0.5 + mask, dim=-1)
    return (weights @ v).to(q.dtype), cache


@variations.right("repetition_penalty")
def gathered_and_scattered(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Gathers the logits of seen tokens and scatters the penalised ones back."""
    if penalty <= 0:
        raise ValueError("penalty")
    scores = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.where(scores < 0, scores * penalty, scores / penalty))


@variations.right("repetition_penalty")
def by_sets(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Loops over the set of tokens of each row."""
    if not penalty > 0:
        raise ValueError("penalty")
    out = logits.clone()
    flat = out.view(-1, logits.shape[-1])
    for row, seen in zip(flat, tokens.reshape(-1, tokens.shape[-1]).tolist(), strict=True):
        for token in set(seen):
            row[token] = row[token] / penalty if row[token] > 0 else row[token] * penalty
    return out


@variations.right("repetition_penalty")
def by_one_hot(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Marks seen tokens by comparing ids, and multiplies with a power of the penalty."""
    if penalty <= 0:
        raise ValueError("penalty")
    seen = (tokens[..., None] == torch.arange(logits.shape[-1])).any(-2)
    factor = torch.full_like(logits, penalty) ** torch.where(logits > 0, -1.0, 1.0).to(logits.dtype)
    return torch.where(seen, logits * factor, logits)


@variations.right("repetition_penalty")
def parts_by_sign(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Treats the positive and the negative part apart and adds them."""
    if not penalty > 0:
        raise ValueError("penalty")
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    penalised = wide.clamp(min=0) / penalty + wide.clamp(max=0) * penalty
    seen = torch.zeros(logits.shape, dtype=torch.int64).scatter_add(-1, tokens, torch.ones_like(tokens)) > 0
    return wide.where(~seen, penalised).to(logits.dtype)
