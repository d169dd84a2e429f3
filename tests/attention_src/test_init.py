"""Tests of what `attention_src` exports and when it loads it."""

import ast
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import attention_src

SNIPPETS = Path(__file__).resolve().parents[2] / "snippets"
MODULES = sorted(module.name for module in pkgutil.iter_modules(attention_src.__path__))
FUNCTIONS = [name for name in attention_src.__all__ if inspect.isfunction(getattr(attention_src, name))]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Callable[[], ModuleType]:
    """Return an importer of the package as a new interpreter would see it; the old one comes back afterwards."""

    def load() -> ModuleType:
        for name in loaded():
            monkeypatch.delitem(sys.modules, name)
        return importlib.import_module("attention_src")

    return load


def loaded() -> list[str]:
    """Return the modules of the package that are loaded now."""
    return [name for name in sys.modules if name.partition(".")[0] == "attention_src"]


CHECKS = {"core", "core.checks", "core.foreign", "core.sizes"}
STUB = ast.parse(importlib.resources.files("attention_src").joinpath("__init__.pyi").read_text(encoding="utf-8"))
HOMES = {
    alias.name: f"attention_src.{line.module}"
    for line in STUB.body
    if isinstance(line, ast.ImportFrom)
    for alias in line.names
}


def test_public_names_are_those_of_the_stub():
    """`__all__` has each name of the one list, sorted."""
    assert attention_src.__all__ == sorted(HOMES)


@pytest.mark.parametrize(("name", "home"), HOMES.items())
def test_public_name_comes_from_its_module(name, home):
    """Each name is the object that its module defines."""
    module = importlib.import_module(home)
    assert getattr(attention_src, name) is getattr(module, name)
    assert getattr(module, name).__module__ in (home, "typing")


@pytest.mark.parametrize("path", sorted(SNIPPETS.rglob("*.py")), ids=lambda path: path.relative_to(SNIPPETS).as_posix())
def test_snippet_imports_from_modules(path):
    """A snippet that asked the package for a name would depend on the list of all names, and run again with it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            assert "attention_src" not in [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module != "attention_src", f"line {node.lineno}: name the module"


def test_no_module_shares_a_name_with_an_export():
    """Importing a submodule sets an attribute of the package, which would hide the function."""
    assert not set(MODULES) & set(attention_src.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_no_modules_whatever_was_imported_before(fresh, module):
    """`from attention_src import attention` gives the function after any submodule was imported first."""
    fresh()
    importlib.import_module(f"attention_src.{module}")
    package = sys.modules["attention_src"]
    for name in attention_src.__all__:
        assert not inspect.ismodule(getattr(package, name)), name


def test_import_of_the_package_loads_no_module(fresh):
    """The package itself loads nothing, so that a snippet depends on what it uses only."""
    fresh()
    assert loaded() == ["attention_src"]


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("causal_blocked", {"masks", "core.ids", *CHECKS}),
        ("scores", {"core.scores", "core.precision", *CHECKS}),
        ("weights", {"core.weights", *CHECKS}),
        ("attention", {"core.attention", "core.scores", "core.weights", "core.precision", *CHECKS}),
        ("encode", {"data", "data.vocabulary", "data.tokens"}),
        ("load_queries", {"data", "data.queries", "data.rows"}),
    ],
)
def test_public_name_loads_only_what_it_needs(fresh, name, modules):
    """First use of a name loads its module and what that imports, and the second use loads nothing."""
    package = fresh()
    first = getattr(package, name)
    expected = {"attention_src", *(f"attention_src.{module}" for module in modules)}
    assert set(loaded()) == expected
    assert getattr(package, name) is first
    assert vars(package)[name] is first


def test_star_import_gives_every_public_name(fresh):
    """`from attention_src import *` follows `__all__`."""
    fresh()
    namespace: dict[str, object] = {}
    exec("from attention_src import *", namespace)
    assert set(attention_src.__all__) <= namespace.keys()


def test_dir_lists_names_before_they_are_loaded(fresh):
    """Completion shows what is there to use."""
    listed = dir(fresh())
    assert set(attention_src.__all__) <= set(listed)
    assert listed == sorted(listed)
    assert "__doc__" in listed


def test_version_is_that_of_the_installation(fresh):
    """It is looked up when asked for, loads no module of the package, and is not kept."""
    package = fresh()
    assert package.__version__ == importlib.metadata.version("attention-measured")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", package.__version__)
    assert loaded() == ["attention_src"]
    assert "__version__" not in vars(package)
    assert "__version__" in dir(package)
    assert "__version__" not in package.__all__


def test_version_without_an_installation_is_an_attribute_error(monkeypatch):
    """As for any name that is not there, with the reason."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(AttributeError, match="where attention-measured is not installed"):
        _ = attention_src.__version__
    assert not hasattr(attention_src, "__version__")


def test_unknown_name_is_an_attribute_error():
    """A misspelt name fails as it does in any module."""
    with pytest.raises(AttributeError, match="module 'attention_src' has no attribute 'atention'"):
        _ = attention_src.atention
    with pytest.raises(ImportError, match="cannot import name 'atention'"):
        exec("from attention_src import atention")


def test_package_is_marked_as_typed():
    """Type checkers of those who install it read its annotations."""
    assert (importlib.resources.files("attention_src") / "py.typed").is_file()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_is_annotated_and_documented(name):
    """Every parameter and result has a type, and the docstring says what is returned and raised."""
    function = getattr(attention_src, name)
    signature = inspect.signature(function)
    annotations = [parameter.annotation for parameter in signature.parameters.values()]
    assert inspect.Signature.empty not in [*annotations, signature.return_annotation]
    for section in ["Args:"] * bool(signature.parameters) + ["Returns:", "Raises:"]:
        assert section in function.__doc__
