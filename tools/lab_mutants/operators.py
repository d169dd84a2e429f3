"""Changes that a programmer makes by mistake, each at every place of a function where it can be made."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Part = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Mutant:
    """An answer with one change.

    Attributes:
        change: What was changed, and into what.
        parts: The definitions, one of them changed.
    """

    change: str
    parts: list[ast.stmt]

    @property
    def source(self) -> str:
        """The changed code."""
        return "\n\n".join(ast.unparse(part) for part in self.parts)


def mutants(parts: list[Part]) -> Iterator[Mutant]:
    """Every change at every place, in an order that does not depend on the machine."""
    seen = {"\n".join(map(ast.unparse, parts))}
    for number, part in enumerate(parts):
        for change, other in _changed(part):
            changed: list[ast.stmt] = [*parts[:number], ast.fix_missing_locations(other), *parts[number + 1 :]]
            text = "\n".join(map(ast.unparse, changed))
            if text not in seen:
                seen.add(text)
                yield Mutant(change, changed)


def _changed(part: Part) -> Iterator[tuple[str, Part]]:
    for place, node in enumerate(ast.walk(part)):
        for name, change in _EXPRESSIONS:
            for replacement in change(node) if isinstance(node, ast.expr) else ():
                yield _told(name, node, [replacement]), _replaced(part, place, replacement)
        for name, statements in _STATEMENTS:
            for block in statements(node) if isinstance(node, ast.stmt) else ():
                yield _told(name, node, block), _replaced(part, place, block)
        if isinstance(node, ast.FunctionDef):
            for name, first in _beginnings(node):
                function = copy.copy(node)
                function.body = [*first, *node.body]
                yield f"{name}: {'; '.join(map(ast.unparse, first))}", _replaced(part, place, function)


def _told(name: str, before: ast.AST, after: Sequence[ast.AST]) -> str:
    lines = [ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))) for node in (before, *after)]
    return f"{name}: `{lines[0]}` became `{'; '.join(lines[1:])}`"


def _replaced(part: Part, place: int, replacement: ast.AST | list[ast.stmt]) -> Part:
    """A copy of a definition with the node at one place of the walk exchanged."""
    copied = copy.deepcopy(part)
    target = list(ast.walk(copied))[place]
    if target is copied:
        assert isinstance(replacement, ast.FunctionDef)
        return replacement
    for parent in ast.walk(copied):
        for name, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, name, replacement)
            elif isinstance(value, list) and any(each is target for each in value):
                at = next(i for i, each in enumerate(value) if each is target)
                value[at : at + 1] = replacement if isinstance(replacement, list) else [replacement]
    return copied


# --- expressions ---


def _text(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def _wrapped(node: ast.expr, form: str) -> ast.expr:
    """An expression in place of the underscore in `form`."""
    holder = ast.parse(form, mode="eval").body
    for parent in ast.walk(holder):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.Name) and value.id == "_":
                setattr(parent, name, node)
            elif isinstance(value, list):
                value[:] = [node if isinstance(each, ast.Name) and each.id == "_" else each for each in value]
    return holder


_OPERATORS: dict[type[ast.operator], tuple[ast.operator, ...]] = {
    ast.Add: (ast.Sub(), ast.Mult()),
    ast.Sub: (ast.Add(),),
    ast.Mult: (ast.Div(), ast.Add()),
    ast.Div: (ast.Mult(),),
    ast.BitOr: (ast.BitAnd(), ast.BitXor()),
    ast.BitAnd: (ast.BitOr(),),
    ast.FloorDiv: (ast.Mult(),),
    ast.Pow: (ast.Mult(),),
}


def _other_operator(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        for operator in _OPERATORS.get(type(node.op), ()):
            yield ast.BinOp(node.left, operator, node.right)


def _operand(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield node.left
        yield node.right


def _exchanged(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield ast.BinOp(node.right, node.op, node.left)
    if isinstance(node, ast.Call) and len(node.args) >= 2:
        for i in range(len(node.args) - 1):
            arguments = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
            yield ast.Call(node.func, arguments, node.keywords)
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) >= 2 and isinstance(node.ctx, ast.Load):
        yield type(node)([*node.elts[1:], node.elts[0]], node.ctx)
        if len(node.elts) > 2:
            yield type(node)([node.elts[1], node.elts[0], *node.elts[2:]], node.ctx)


_COMPARISONS: dict[type[ast.cmpop], tuple[ast.cmpop, ...]] = {
    ast.Eq: (ast.NotEq(), ast.LtE(), ast.Gt()),
    ast.NotEq: (ast.Eq(), ast.LtE()),
    ast.Lt: (ast.LtE(), ast.Gt()),
    ast.Gt: (ast.GtE(), ast.Lt()),
    ast.Is: (ast.IsNot(),),
    ast.IsNot: (ast.Is(),),
}


def _other_comparison(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for operator in _COMPARISONS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [operator], node.comparators)


def _other_number(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield ast.Constant(node.value + 0.5)
        yield ast.Constant(2 * node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)


def _other_text(node: ast.expr) -> Iterator[ast.expr]:
    roles = ("query", "key", "value", "output")
    if isinstance(node, ast.Constant) and node.value in roles:
        yield from (ast.Constant(role) for role in roles if role != node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in ("bag", "causal"):
        yield ast.Constant("attention")


def _no_sign(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.UnaryOp):
        yield node.operand


_METHODS = {
    "softmax": ("sigmoid", "log_softmax"),
    "sum": ("mean", "amax", "prod"),
    "mean": ("sum",),
    "max": ("min",),
    "argmax": ("argmin",),
    "all": ("any",),
    "any": ("all",),
    "sqrt": ("exp",),
    "exp": ("sqrt",),
    "stack": ("cat",),
    "flatten": ("contiguous",),
}


def _other_method(node: ast.expr) -> Iterator[ast.expr]:
    """Another function on the same object; what does not take the arguments raises, as it would for a reader."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for name in _METHODS.get(node.func.attr, ()):
            keywords = [] if name in ("sigmoid", "contiguous") else node.keywords
            arguments = [] if name in ("sigmoid", "contiguous") else node.args
            yield ast.Call(ast.Attribute(node.func.value, name, ast.Load()), arguments, keywords)


def _no_call(node: ast.expr) -> Iterator[ast.expr]:
    """A method that is not called, or a function of one argument that is left out."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield node.func.value
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    elif isinstance(node, ast.Attribute) and node.attr in ("mT", "T"):
        yield node.value


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "math", "nn", "F", "self")


def _no_keyword(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        for i, keyword in enumerate(node.keywords):
            if keyword.arg not in ("strict",):
                yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])


def _other_fill(node: ast.expr) -> Iterator[ast.expr]:
    """Another number where blocked scores are filled."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "masked_fill":
        for fill in ("0.0", "1.0", "-100.0", "-10000.0", "torch.inf"):
            yield ast.Call(node.func, [node.args[0], _text(fill)], [])


_TYPES = ("_.detach()", "_.data", "_.double()", "_.half().float()", "_.squeeze()", "_.tolist()", "_.flip(0)", "_.abs()")


def _other_type(node: ast.expr) -> Iterator[ast.expr]:
    """Something done to what a name, a product or a call gives."""
    if isinstance(node, ast.Name | ast.Call | ast.BinOp) and not _is_module(node) and _is_value(node):
        yield from (_wrapped(node, form) for form in _TYPES)


def _is_value(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and len(node.id) > 1
    return not isinstance(node, ast.Call) or isinstance(node.func, ast.Attribute)


def _other_index(node: ast.expr) -> Iterator[ast.expr]:
    """Axes of an index exchanged or dropped, and slices cut elsewhere."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    index = node.slice
    if isinstance(index, ast.Tuple):
        for i in range(len(index.elts) - 1):
            elements = [*index.elts[:i], index.elts[i + 1], index.elts[i], *index.elts[i + 2 :]]
            yield ast.Subscript(node.value, ast.Tuple(elements, ast.Load()), node.ctx)
    if isinstance(index, ast.Slice):
        yield ast.Subscript(node.value, ast.Slice(index.upper, index.lower), node.ctx)
        yield node.value
        if index.upper is not None:
            less = ast.BinOp(index.upper, ast.Sub(), ast.Constant(1))
            yield ast.Subscript(node.value, ast.Slice(index.lower, less), node.ctx)
    yield node.value


def _other_range(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        yield ast.Call(node.func, [ast.Constant(1), *node.args], [])
        yield ast.Call(node.func, [ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(1))], [])
        yield ast.Call(node.func, [ast.BinOp(node.args[-1], ast.Add(), ast.Constant(1))], [])


_EXPRESSIONS: tuple[tuple[str, Callable[[ast.expr], Iterator[ast.expr]]], ...] = (
    ("another operator", _other_operator),
    ("an operand alone", _operand),
    ("operands exchanged", _exchanged),
    ("another comparison", _other_comparison),
    ("another number", _other_number),
    ("another name of a parameter", _other_text),
    ("no sign", _no_sign),
    ("another function", _other_method),
    ("a function left out", _no_call),
    ("an argument left out", _no_keyword),
    ("another fill", _other_fill),
    ("another type or form", _other_type),
    ("another index", _other_index),
    ("another range", _other_range),
)


# --- statements ---


def _deleted(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.If):
        yield [ast.Pass()]
    if isinstance(node, ast.If):
        yield node.body


def _overwriting(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """A sum that is overwritten in each round."""
    if isinstance(node, ast.AugAssign):
        yield [ast.Assign([node.target], node.value)]


def _first_round(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.For):
        yield [ast.For(node.target, node.iter, [*node.body, ast.Break()], [])]


def _returned(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.Return) and node.value is not None:
        yield [ast.Return(None)]
        for form in ("[_]", "_[:1]", "_.numpy()", "_ * 1.01", "_ + 1"):
            yield [ast.Return(_wrapped(node.value, form))]


_STATEMENTS: tuple[tuple[str, Callable[[ast.stmt], Iterator[list[ast.stmt]]]], ...] = (
    ("a statement left out", _deleted),
    ("a sum overwritten", _overwriting),
    ("the first round only", _first_round),
    ("something else returned", _returned),
)


def _beginnings(node: ast.FunctionDef) -> Iterator[tuple[str, list[ast.stmt]]]:
    """What a function does to its arguments, or instead of its work, before it begins."""
    names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    forms = {
        "an argument cut off": "{0} = {0}.detach()",
        "an argument changed in place": "{0}.zero_()",
        "an argument grown in place": "{0}.add_(1)",
        "an argument squeezed": "{0} = {0}.squeeze()",
        "an argument turned round": "{0} = {0}.flip(0)",
        "an argument of one byte": "{0} = {0}.to(torch.int8).to({0}.dtype)",
        "an argument's first row": "{0} = {0}[:1]",
        "a list changed in place": "{0}[0] = {0}[-1]",
        "a list emptied": "{0}.clear()",
    }
    for name in names:
        for told, form in forms.items():
            yield told, ast.parse(form.format(name)).body
    for told, form in {"no end": "while True: pass", "the end of all": "raise SystemExit"}.items():
        yield told, ast.parse(form).body
