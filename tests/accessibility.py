"""What axe finds on a page, asked in a way that takes seconds and not minutes."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# A page has thousands of tokens of code in a handful of styles, and axe works out the colours behind each of them,
# which is most of what it does. Of those that look alike up to the root (the same colours, backgrounds, opacity and
# size, of the token and of each element around it), its rule about contrast looks at the first. Every other rule sees
# all of them.
MARK_ALIKE = r"""() => {
  const PROPERTIES = [
    "color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "textShadow", "fontSize",
    "fontWeight", "display", "visibility", "position", "overflow",
  ];
  const looks = new Map();
  const look = (element) => {
    if (!element) return "";
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      looks.set(element, look(element.parentElement) + PROPERTIES.map((name) => style[name]).join("|") + "\\n");
    }
    return looks.get(element);
  };
  const seen = new Set();
  for (const token of document.querySelectorAll("pre code span")) {
    // A box that is closed hides what is in it by no style of its own.
    const key = `${token.checkVisibility()}\n${look(token)}`;
    token.toggleAttribute("data-alike", seen.has(key));
    seen.add(key);
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: ":not([data-alike])" }] });
}"""


def results(page: Page, context: dict[str, Any] | None = None) -> dict[str, Any]:
    """What axe says about a page, or about the parts of it that `context` includes."""
    found: dict[str, Any] = Axe(f"{AXE_SCRIPT}\n;({MARK_ALIKE})();").run(page, context=context).response
    return found


def serious(page: Page) -> list[str]:
    """What axe calls serious or critical: the rule, and the first elements that break it."""
    return [
        f"{violation['id']} {node['target']} {node['failureSummary']}"
        for violation in results(page)["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"][:3]
    ]
