"""Tests of what `attention_src` exports and when it loads it."""

import importlib
import importlib.resources
import inspect
import pkgutil
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import attention_src

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


def test_public_names_are_listed_once_and_sorted():
    """`__all__` and the table of modules hold the same names."""
    assert sorted(set(attention_src.__all__)) == attention_src.__all__
    assert attention_src._HOME.keys() == set(attention_src.__all__)


@pytest.mark.parametrize("name", attention_src.__all__)
def test_public_name_comes_from_its_module(name):
    """Each name is the object that its module defines."""
    home = importlib.import_module(f"attention_src.{attention_src._HOME[name]}")
    assert getattr(attention_src, name) is getattr(home, name)


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
        ("causal_blocked", {"masks", "checks"}),
        ("scores", {"scoring", "checks"}),
        ("weights", {"softmax", "checks"}),
        ("attention", {"dot_product", "scoring", "softmax", "checks"}),
        ("encode", {"vocabulary", "tokens"}),
        ("load_queries", {"queries", "rows"}),
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
