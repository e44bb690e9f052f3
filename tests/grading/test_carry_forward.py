"""Errors carried forward: a right function on top of a wrong one is not punished twice."""

STANDARDIZE_WRONG = """
    def standardize(x, eps=1e-5):
        return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()
"""
LAYER_NORM_ON_TOP = """
    def layer_norm(x, gamma, beta, eps=1e-5):
        return standardize(x, eps) * gamma + beta
"""
SOFTMAX_WRONG = """
    def softmax(logits, dim=-1):
        exp = (logits - logits.max()).exp()
        return exp / exp.sum(dim, keepdim=True)
"""


def results(report):
    return {exercise.id: exercise for exercise in report.exercises}


def test_the_fault_is_booked_once_where_it_lies(desk, with_functions):
    modules = with_functions(
        {"normalization.standardize": STANDARDIZE_WRONG, "normalization.layer_norm": LAYER_NORM_ON_TOP}
    )
    found = results(desk.grade(modules, "normalization"))
    assert found["normalization.standardize"].status in ("failed", "partial")
    inherited = found["normalization.layer_norm"]
    assert (inherited.status, inherited.inherits) == ("inherited", "normalization.standardize")
    assert inherited.earned == inherited.possible
    assert "This function is right" in inherited.message


def test_it_reaches_across_lessons_through_every_form_of_import(desk, answers, with_functions):
    wrong = with_functions({"objective.softmax": SOFTMAX_WRONG})
    for statement, call in [
        ("from .objective import softmax", "softmax"),
        ("from student.objective import softmax as s", "s"),
        ("from . import objective", "objective.softmax"),
        ("import student.objective as o", "o.softmax"),
    ]:
        source = f"""
            {statement}

            def attention_weights(scores, mask=None):
                if mask is not None:
                    scores = scores.masked_fill(~mask, float("-inf"))
                return {call}(scores)
        """
        report = desk.grade(
            with_functions({"attention.attention_weights": source}, wrong), "attention.attention_weights"
        )
        result = report.exercises[0]
        assert (result.status, result.inherits) == ("inherited", "objective.softmax"), statement


def test_an_earlier_function_that_is_not_written_yet_is_lent(desk, with_functions, stubs):
    source = """
        from .objective import entropy_bits

        def attention_entropy(weights):
            return entropy_bits(weights)
    """
    modules = with_functions({"attention.attention_entropy": source})
    modules["objective"] = stubs["objective"]
    result = desk.grade(modules, "attention.attention_entropy").exercises[0]
    assert (result.status, result.inherits) == ("inherited", "objective.entropy_bits")


def test_a_missing_earlier_module_is_lent_as_well(desk, with_functions):
    source = """
        from .objective import entropy_bits

        def attention_entropy(weights):
            return entropy_bits(weights)
    """
    modules = with_functions({"attention.attention_entropy": source})
    del modules["objective"]
    result = desk.grade(modules, "attention.attention_entropy").exercises[0]
    assert (result.status, result.inherits, result.earned) == ("inherited", None, result.possible)
    assert result.message == (
        "This function is right. (student/objective.py, which its file imports, was not handed in; it was judged with "
        "the course's own.)"
    )


def test_whoever_hands_in_one_file_inherits_no_fault(desk, answers, with_functions):
    wrong = with_functions({"attention.attention_scores": "def attention_scores(q, k):\n    return q @ k.mT\n"})
    found = results(desk.grade({"attention": wrong["attention"]}, "attention"))
    assert found["attention.attention_weights"].inherits is None
    assert "was not handed in" in found["attention.attention_weights"].message
    scores, whole = found["attention.attention_scores"], found["attention.attention"]
    assert scores.misconception == "attention.attention_scores.no-scale"
    assert scores.notes == (
        "student/objective.py, which its file imports, was not handed in; it was judged with the course's own.",
    )
    assert (whole.status, whole.inherits) == ("inherited", "attention.attention_scores")
    assert whole.message == "This function is right; it inherits the fault of `attention.attention_scores`."


def test_a_fault_of_its_own_is_still_found(desk, with_functions):
    modules = with_functions(
        {
            "normalization.standardize": STANDARDIZE_WRONG,
            "normalization.layer_norm": LAYER_NORM_ON_TOP.replace("* gamma + beta", "* (gamma + beta)"),
        }
    )
    result = results(desk.grade(modules, "normalization"))["normalization.layer_norm"]
    assert result.status in ("failed", "partial")
    assert any("normalization.standardize" in note for note in result.notes)


def test_a_wrong_function_that_calls_nothing_inherits_nothing(desk, with_functions):
    wrong = "def layer_norm(x, gamma, beta, eps=1e-5):\n    return x * gamma + beta\n"
    modules = with_functions({"normalization.standardize": STANDARDIZE_WRONG, "normalization.layer_norm": wrong})
    result = results(desk.grade(modules, "normalization"))["normalization.layer_norm"]
    assert result.status == "failed"
    assert result.inherits is None


def test_two_functions_that_only_call_each_other_do_not_lift_each_other(desk, with_functions):
    modules = with_functions(
        {
            "normalization.standardize": """
                def standardize(x, eps=1e-5):
                    one = x.new_ones(x.shape[-1])
                    return layer_norm(x, one, one * 0, eps)
            """,
            "normalization.layer_norm": LAYER_NORM_ON_TOP,
        }
    )
    found = results(desk.grade(modules, "normalization"))
    assert not (found["normalization.standardize"].fine and found["normalization.layer_norm"].fine)


def test_a_broken_earlier_file_is_named_and_costs_nothing_in_the_file_that_imports_it(desk, answers):
    modules = {**answers, "objective": "def softmax(logits, dim=-1:\n    return logits\n"}
    report = desk.grade(modules, "attention")
    assert {result.status for result in report.exercises} == {"inherited"}
    assert "imports student/objective.py, which cannot be run" in report.exercises[0].message


def test_a_fault_of_its_own_is_found_above_a_broken_file(desk, with_functions):
    modules = with_functions(
        {"attention.attention_scores": "def attention_scores(q, k):\n    return q @ k.transpose(-2, -1)\n"}
    )
    modules["objective"] = "import no_such_module\n"
    report = desk.grade(modules, "attention.attention_scores", "attention.causal_mask")
    mask, scores = report.exercises
    assert mask.status == "inherited"
    assert scores.misconception == "attention.attention_scores.no-scale"


def test_one_fault_is_booked_once_through_all_layers(desk, with_functions):
    source = """
        def rms_norm(x, weight, eps=1e-6):
            wide = x.double()
            return (wide / (wide.pow(2).mean(-1, keepdim=True).sqrt() + eps) * weight).to(x.dtype)
    """
    modules = with_functions({"normalization.rms_norm": source})
    found = results(desk.grade(modules, "normalization.rms_norm", "block.llama_block", "model.llama"))
    assert not found["normalization.rms_norm"].fine
    for above in ("block.llama_block", "model.llama"):
        assert (found[above].status, found[above].inherits) == ("inherited", "normalization.rms_norm")
        assert found[above].earned == found[above].possible
