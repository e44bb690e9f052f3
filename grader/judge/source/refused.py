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


def _each(names: str, reason: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


BUILT_INS = {
    **_each("exec eval compile", TEXT),
    **_each("__import__ __loader__ __spec__", MODULES),
    **_each("globals locals vars __builtins__", NAMESPACE),
    **_each("__annotations__", HINTS),
}
"""Names of Python's own."""

ATTRIBUTES = {
    **_each("__dict__ __globals__ __builtins__ f_globals f_locals f_builtins", NAMESPACE),
    **_each("__getattribute__ __getattr__ __match_args__ get_field attrgetter methodcaller", COMPUTED),
    **_each("call_function call_method call_module", COMPUTED),
    **_each("__loader__ __spec__ __import__ import_module resolve_name importlib", MODULES),
    **_each("__subclasses__ __code__ __closure__ __defaults__ __kwdefaults__ __func__ __self__", INTERNALS),
    **_each("cell_contents f_back tb_frame gi_frame cr_frame ag_frame _getframe", INTERNALS),
    **_each("FunctionType CodeType MethodType builtins ctypes inspect sys", INTERNALS),
    **_each("__reduce__ __reduce_ex__ __setstate__ pickle", SAVED),
    **_each("__annotations__ __dataclass_fields__ __instancecheck__ get_type_hints", HINTS),
    **_each("CompilationUnit cpp_extension load_inline load_library _jit_get_operation", REGISTRY),
    **_each("get_testing_overrides get_overridable_functions _get_activation_fn decomposition_table", REGISTRY),
}
"""Attributes refused on anything that is not plainly the learner's own."""

FINE_ON_OWN = frozenset({"__dict__", "__getattr__", "__getattribute__"})
"""Of these, the ones that lead to nothing but the learner's own on an instance of the learner's own class."""

LIBRARIES = {
    **_each("importlib imp pkgutil runpy zipimport pydoc", MODULES),
    **_each("builtins __builtin__ __main__", NAMESPACE),
    **_each("ctypes _ctypes cffi gc inspect bytecode numba _testcapi", INTERNALS),
    **_each("code codeop timeit cProfile profile trace pdb bdb doctest numexpr sympy", TEXT),
    **_each("pickle _pickle cPickle marshal shelve dill cloudpickle joblib yaml", SAVED),
    **_each("subprocess multiprocessing", PROGRAMS),
    **_each("unittest annotationlib", COMPUTED),
    **_each("reference grader tests", THE_GRADERS),
}
"""First names of import paths."""

MEMBERS = {
    **_each("sys._getframe sys._current_frames sys.settrace sys.setprofile", INTERNALS),
    **_each("threading.settrace threading.setprofile numpy.ctypeslib", INTERNALS),
    **_each("types.FunctionType types.LambdaType types.CodeType types.MethodType types.FrameType", INTERNALS),
    **_each("sys.modules sys.meta_path sys.path_hooks", MODULES),
    **_each("typing.get_type_hints typing.ForwardRef dataclasses.fields", HINTS),
    **_each("string.Formatter logging.config", COMPUTED),
    **_each("os.system os.popen os.fork os.posix_spawn os.execv os.execve", PROGRAMS),
    **_each("numpy.load", SAVED),
}
"""A library's last name and what may not be taken of it, wherever the two stand in a path (`torch.sys.modules`)."""

TORCH = {
    **_each("ao distributed export fx hub library multiprocessing onnx overrides package quantization", REGISTRY),
    **_each("jit.CompilationUnit jit.frontend jit.load jit._builtins jit._state ops.load_library", REGISTRY),
    **_each("testing._internal utils.cpp_extension utils.model_zoo utils._python_dispatch serialization", REGISTRY),
    **_each("_custom_ops _decomp _dynamo _export _functorch _higher_order_ops _inductor _jit_internal", REGISTRY),
    **_each("_lazy _library _meta_registrations _native _ops _prims _subclasses", REGISTRY),
    **_each("load", SAVED),
}
"""Parts of torch, by the path after `torch.`."""

KERNELS = frozenset({"_fft", "_linalg", "_nn", "_special", "_sparse"})
"""The parts of `torch._C` that hold operations under their own names, so that a forbidden one is seen."""


def refusal(path: tuple[str, ...]) -> str | None:
    """Why a path into a library is refused, None if it is not."""
    if path[0] in LIBRARIES:
        return LIBRARIES[path[0]]
    for index, name in enumerate(path):
        if index and name in ATTRIBUTES:
            return ATTRIBUTES[name]
        if (pair := ".".join(path[index : index + 2])) in MEMBERS:
            return MEMBERS[pair]
    if path[0] != "torch":
        return None
    if path[1:2] == ("_C",) and len(path) > 2 and path[2] not in KERNELS:
        return REGISTRY
    return TORCH.get(".".join(path[1:2])) or TORCH.get(".".join(path[1:3]))
