// Boxes that scroll can be reached by keyboard; one whose content fits is no stop on the way.
//
// Without this script every box is a stop, which is one too many but hides nothing.
(() => {
  const boxes = document.querySelectorAll(".drift-scroll");

  function update(box, attributes) {
    const scrolls = box.scrollWidth > box.clientWidth;
    for (const [name, value] of attributes) {
      if (scrolls) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }

  for (const box of boxes) {
    const attributes = ["tabindex", "role", "aria-label"].map((name) => [name, box.getAttribute(name)]);
    new ResizeObserver(() => update(box, attributes)).observe(box);
  }
})();
