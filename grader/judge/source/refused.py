"""Ways to reach torch that source text does not show, and what to say about each.

Everything that is not listed here may be used.
"""

from __future__ import annotations

TEXT = "runs text as code, which the grader cannot read. Write the code itself."
MODULES = "fetches modules by their name while the program runs. Use an ordinary `import` statement."
NAMESPACE = "opens a namespace, through which any part of torch could be reached. Use the names themselves."
COMPUTED = (
    "takes an attribute by a name that is known only while the program runs, so the grader cannot tell which part of "
    "torch is used. Write the attribute out, as in `torch.exp`."
)
INTERNALS = "reaches into the interpreter (frames, code objects, memory). The exercise needs tensors only."
SAVED = "makes objects out of saved bytes, which may be any part of torch. Write the steps out in code."
PROGRAMS = "runs another program, which the grader cannot read. Write the steps out in code."
HINTS = "turns annotations back into objects, which may be any part of torch. Use the names themselves."
REGISTRY = (
    "is a part of torch that hands out operations by name, number or text, so the grader cannot tell which one is "
    "used. Use torch's public functions."
)
THE_GRADERS = "belongs to the grader and is not there when your code runs. Import from `student` only."

BUILT_INS = {
    **dict.fromkeys(("exec", "eval", "compile"), TEXT),
    **dict.fromkeys(("__import__", "__loader__", "__spec__"), MODULES),
    **dict.fromkeys(("globals", "locals", "vars", "__builtins__"), NAMESPACE),
    "__annotations__": HINTS,
}

BY_NAME = {"getattr": COMPUTED, "attrgetter": COMPUTED, "methodcaller": COMPUTED}
"""Refused unless they are called with names that can be told."""

ATTRIBUTES = {
    **dict.fromkeys(("__dict__", "__globals__", "__builtins__", "f_globals", "f_locals", "f_builtins"), NAMESPACE),
    **dict.fromkeys(("__getattribute__", "__getattr__", "get_field", "__match_args__"), COMPUTED),
    **dict.fromkeys(("attrgetter", "methodcaller", "call_function", "call_method", "call_module"), COMPUTED),
    **dict.fromkeys(("__loader__", "__spec__", "__import__", "import_module", "resolve_name", "importlib"), MODULES),
    **dict.fromkeys(("__subclasses__", "__code__", "__closure__", "cell_contents", "f_back", "tb_frame"), INTERNALS),
    **dict.fromkeys(
        (
            "gi_frame",
            "cr_frame",
            "ag_frame",
            "__func__",
            "__self__",
            "__defaults__",
            "__kwdefaults__",
            "_getframe",
            "ctypes",
            "builtins",
        ),
        INTERNALS,
    ),
    **dict.fromkeys(("FunctionType", "CodeType", "MethodType", "inspect", "sys"), INTERNALS),
    **dict.fromkeys(("__reduce__", "__reduce_ex__", "__setstate__", "pickle"), SAVED),
    **dict.fromkeys(("__annotations__", "__dataclass_fields__", "get_type_hints", "__instancecheck__"), HINTS),
    **dict.fromkeys(("CompilationUnit", "cpp_extension", "load_inline", "load_library"), REGISTRY),
    **dict.fromkeys(("_jit_get_operation", "get_testing_overrides", "get_overridable_functions"), REGISTRY),
    **dict.fromkeys(("_get_activation_fn", "decomposition_table"), REGISTRY),
}
"""Attributes refused on anything that is not plainly the learner's own."""

FINE_ON_OWN = frozenset({"__dict__", "__getattr__", "__getattribute__"})
"""Of these, the ones that lead to nothing but the learner's own on an instance of the learner's own class."""

LIBRARIES = {
    **dict.fromkeys(("importlib", "imp", "pkgutil", "runpy", "zipimport", "pydoc"), MODULES),
    **dict.fromkeys(("builtins", "__builtin__", "__main__"), NAMESPACE),
    **dict.fromkeys(("ctypes", "cffi", "gc", "inspect", "bytecode", "_testcapi", "_ctypes", "numba"), INTERNALS),
    **dict.fromkeys(("code", "codeop", "timeit", "cProfile", "profile", "trace", "pdb", "bdb", "doctest"), TEXT),
    **dict.fromkeys(("numexpr", "sympy"), TEXT),
    **dict.fromkeys(
        ("pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"), SAVED
    ),
    **dict.fromkeys(("subprocess", "multiprocessing"), PROGRAMS),
    **dict.fromkeys(("unittest", "annotationlib"), COMPUTED),
    **dict.fromkeys(("reference", "grader", "tests"), THE_GRADERS),
}
"""First names of import paths."""

MEMBERS = {
    **dict.fromkeys(
        (
            *(("sys", name) for name in ("_getframe", "_current_frames", "settrace", "setprofile")),
            *(("types", name) for name in ("FunctionType", "LambdaType", "CodeType", "MethodType", "FrameType")),
            *(("threading", "settrace"), ("threading", "setprofile")),
        ),
        INTERNALS,
    ),
    **dict.fromkeys((("sys", "modules"), ("sys", "meta_path"), ("sys", "path_hooks")), MODULES),
    **dict.fromkeys((("typing", "get_type_hints"), ("typing", "ForwardRef"), ("dataclasses", "fields")), HINTS),
    **dict.fromkeys((("string", "Formatter"), ("logging", "config")), COMPUTED),
    **dict.fromkeys((("os", name) for name in ("system", "popen", "fork", "posix_spawn", "execv", "execve")), PROGRAMS),
    ("numpy", "ctypeslib"): INTERNALS,
    ("numpy", "load"): SAVED,
}
"""A library's last name and what may not be taken of it, wherever the pair stands in a path (`torch.sys.modules`)."""

TORCH = {
    **dict.fromkeys(
        (
            *("overrides", "fx", "package", "hub", "serialization", "library", "ao", "quantization", "onnx", "export"),
            *("distributed", "multiprocessing"),
            *("_decomp", "_dynamo", "_inductor", "_export", "_library", "_ops", "_custom_ops", "_prims", "_functorch"),
            *("_higher_order_ops", "_meta_registrations", "_native", "_subclasses", "_jit_internal", "_lazy"),
            *(
                "testing._internal",
                "utils.cpp_extension",
                "utils._python_dispatch",
                "utils.model_zoo",
                "ops.load_library",
            ),
            *(
                "jit.CompilationUnit",
                "jit.frontend",
                "jit._builtins",
                "jit._state",
                "jit.load",
                "jit.jit_module_from_flatbuffer",
            ),
        ),
        REGISTRY,
    ),
    "load": SAVED,
}
"""Parts of torch, by the path after `torch.`."""

KERNELS = frozenset({"_fft", "_linalg", "_nn", "_special", "_sparse"})
"""The parts of `torch._C` that hold operations under their own names, so that a forbidden one is seen."""

_TORCH = {tuple(path.split(".")): reason for path, reason in TORCH.items()}


def refusal(path: tuple[str, ...]) -> str | None:
    """Why a path into a library is refused, None if it is not."""
    if path[0] in LIBRARIES:
        return LIBRARIES[path[0]]
    for index, name in enumerate(path):
        if index and name in ATTRIBUTES:
            return ATTRIBUTES[name]
        if (pair := path[index : index + 2]) in MEMBERS:
            return MEMBERS[pair[0], pair[1]]
    if path[0] == "torch":
        if path[1:2] == ("_C",) and len(path) > 2 and path[2] not in KERNELS:
            return REGISTRY
        for length in (1, 2):
            if (part := path[1 : 1 + length]) in _TORCH:
                return _TORCH[part]
    return None
