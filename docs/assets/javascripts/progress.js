// Chapters and labs can be marked as read: a button at their end, ticks and a line in the navigation.
//
// Without this script a page has none of that, and no place is kept for it.
(() => {
  const UNITS = { Chapters: "chapters", Labs: "lab pages" };
  const store = window.amStore;
  const config = JSON.parse(document.getElementById("__config").textContent);
  // On the page for a bad address it ends with a slash, elsewhere it does not.
  const base = new URL(config.base.replace(/\/?$/, "/"), location.href);
  const here = pathOf(location.href);

  // A page's address below the site's root: the same from every page, on a disk too.
  function pathOf(href) {
    const url = new URL(href, location.href);
    const path = decodeURI(url.pathname);
    const root = decodeURI(base.pathname);
    return path.startsWith(root) ? path.slice(root.length) : null;
  }

  function element(tag, name, text) {
    const made = document.createElement(tag);
    made.className = name;
    made.textContent = text;
    return made;
  }

  function list(section) {
    const unit = UNITS[section.querySelector(":scope > label")?.textContent.trim()];
    const items = [...section.querySelectorAll(":scope > nav > ul > li")];
    const entries = items.map((item) => ({ item, path: pathOf(item.querySelector(":scope > a")?.href ?? "") }));
    if (!unit || !items.length) return null;
    const line = element("p", "am-progress", "");
    section.querySelector(":scope > nav").append(line);
    return { unit, entries: entries.filter(({ path }) => path !== null), line };
  }

  // The tick stands in the page's link, and in the label that opens its contents on a small screen.
  function tick(item, done) {
    for (const link of item.querySelectorAll(":scope > a, :scope > label")) {
      link.querySelector(".am-tick")?.remove();
      if (!done) continue;
      const mark = element("span", "am-tick", "");
      const sign = element("span", "", "✓");
      sign.setAttribute("aria-hidden", "true");
      mark.append(sign, element("span", "am-unseen", "(read)"));
      link.querySelector(".md-ellipsis").after(mark);
    }
  }

  function button() {
    const place = element("p", "am-read", "");
    const mark = element("button", "md-button", "");
    const status = element("span", "am-read__status", "");
    mark.type = "button";
    status.setAttribute("role", "status");
    place.append(mark, status);
    document.querySelector("article").append(place);
    mark.addEventListener("click", () => {
      store.set("read", here, store.get("read")[here] === true ? undefined : true, place);
      show();
    });
    return (done) => {
      mark.textContent = done ? "Mark as unread" : "Mark as read";
      status.textContent = done ? "You have read this page." : "";
    };
  }

  function show() {
    const read = store.get("read");
    for (const { unit, entries, line } of lists) {
      const done = entries.filter(({ path }) => read[path] === true).length;
      for (const { item, path } of entries) tick(item, read[path] === true);
      line.textContent = `${done} of ${entries.length} ${unit} read`;
    }
    showButton?.(read[here] === true);
  }

  const sections = document.querySelectorAll(".md-nav--primary > .md-nav__list > .md-nav__item--section");
  const lists = [...sections].map(list).filter(Boolean);
  const isListed = lists.some(({ entries }) => entries.some(({ path }) => path === here));
  const showButton = isListed ? button() : null;
  store.onChange(show);
  show();
})();
