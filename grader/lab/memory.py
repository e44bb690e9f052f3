"""How much memory tensors take at most while something runs. The count is exact and the same on every run."""

import weakref
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class TensorMemory(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves its base untyped
    """While it is active, counts the bytes of all storages that torch's operators make, until they are freed.

    What an operator needs inside itself for a moment is not seen, nor are tensors that were there before.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.live = 0
        self.peak = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operator and count the storages that it made."""
        outside = {
            leaf.untyped_storage().data_ptr() for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)
        }
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, Tensor):
                self._count(leaf.untyped_storage(), outside)
        return result

    def _count(self, storage: torch.UntypedStorage, outside: set[int]) -> None:
        address = storage.data_ptr()
        if address in self._known or address in outside or not storage.nbytes():
            return
        self._known.add(address)
        self.live += storage.nbytes()
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._free, address, storage.nbytes())

    def _free(self, address: int, size: int) -> None:
        self._known.discard(address)
        self.live -= size
