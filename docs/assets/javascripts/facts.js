// A number that quotes a fact tells, on hover and on focus, its full value and where it was made.
//
// Without this script such a number is a plain link to the fact's row.
(() => {
  const GAP = 6;
  const LINGER = 200; // Milliseconds: time to move the pointer from the number into the box.
  const tip = document.createElement("div");
  let owner = null;
  let timer = 0;

  tip.id = "am-tip";
  tip.className = "am-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;

  function line(text, name) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    return part;
  }

  function fill({ value, tolerance, fact, source }) {
    tip.replaceChildren(
      line(value, "am-tip__value"),
      line(tolerance === "exact" ? ", exact" : ` ${tolerance}`, "am-tip__note"),
      line(fact, "am-tip__fact"),
      line(source, "am-tip__fact"),
    );
  }

  function place(link) {
    const around = link.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const box = tip.getBoundingClientRect();
    const left = Math.max(GAP, Math.min(around.left, width - box.width - GAP));
    const above = around.bottom + GAP + box.height > innerHeight && around.top - GAP - box.height > 0;
    const top = above ? around.top - GAP - box.height : around.bottom + GAP;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  }

  function show(link) {
    clearTimeout(timer);
    if (owner === link) return;
    hide();
    owner = link;
    fill(link.dataset);
    tip.style.left = "0";
    tip.style.top = "0";
    tip.hidden = false;
    place(link);
    link.setAttribute("aria-describedby", tip.id);
  }

  function hide() {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    tip.hidden = true;
  }

  function hideSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (document.activeElement !== owner) hide();
    }, LINGER);
  }

  document.body.append(tip);
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  tip.addEventListener("pointerleave", hideSoon);
  for (const link of document.querySelectorAll(".am-fact")) {
    // A finger follows the link at once; a box would only flash.
    link.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && show(link));
    link.addEventListener("pointerleave", hideSoon);
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
})();
