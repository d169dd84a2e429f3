// A box that tells more about a link: on hover, on focus and, where it is asked for, on the first tap.
//
// The box lies at the end of the page, so that nothing around the link can cut it off.
window.driftTips = ({ selector, id, fill, opensOnTap = false }) => {
  const GAP = 6;
  const LINGER = 200; // Milliseconds: time to move the pointer from the link into the box.
  const tip = document.createElement("div");
  let owner = null;
  let timer = 0;
  let byTouch = false;

  tip.id = id;
  tip.className = "drift-tip";
  tip.setAttribute("role", "tooltip");

  function line([text, name]) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    return part;
  }

  function place(link) {
    // A link may break across two lines: the first of them counts.
    const around = link.getClientRects()[0];
    const width = document.documentElement.clientWidth;
    const box = tip.getBoundingClientRect();
    const left = Math.max(GAP, Math.min(around.left, width - box.width - GAP));
    const below = link.getBoundingClientRect().bottom;
    const above = below + GAP + box.height > innerHeight && around.top - GAP - box.height > 0;
    const top = above ? around.top - GAP - box.height : below + GAP;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  }

  function show(link) {
    clearTimeout(timer);
    if (owner === link) return;
    hide();
    owner = link;
    tip.replaceChildren(...fill(link.dataset, byTouch).map(line));
    // At the left its width is its own, and not what is left of the page.
    tip.style.left = "0";
    tip.style.top = "0";
    document.body.append(tip);
    place(link);
    link.setAttribute("aria-describedby", tip.id);
  }

  function hide() {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    tip.remove();
  }

  function hideSoon(event) {
    // A finger that is lifted leaves too; what it opened stays.
    if (event.pointerType === "touch") return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (document.activeElement !== owner) hide();
    }, LINGER);
  }

  function tap(event) {
    const link = event.currentTarget;
    if (!byTouch || owner === link) return;
    event.preventDefault();
    show(link);
  }

  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  tip.addEventListener("pointerleave", hideSoon);
  for (const link of document.querySelectorAll(selector)) {
    link.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && show(link));
    link.addEventListener("pointerleave", hideSoon);
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", hide);
    // Otherwise a finger follows the link at once; a box would only flash.
    if (opensOnTap) link.addEventListener("click", tap);
  }
  // Before the click that follows; a key counts as no touch.
  document.addEventListener("pointerdown", (event) => {
    byTouch = event.pointerType === "touch";
    if (byTouch && owner && !tip.contains(event.target) && !owner.contains(event.target)) hide();
  });
  document.addEventListener("keydown", (event) => {
    byTouch = false;
    if (event.key === "Escape") hide();
  });
};
