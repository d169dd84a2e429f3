// Practice: one question at a time, its answer hidden until it is asked for.
//
// Missed questions come first, then those not seen yet, then those known, the one known longest ago first.
// Without this script the page lists all questions, each with an answer to open.
(() => {
  const root = document.querySelector(".am-practice");
  if (!root) return;
  const store = window.amStore;
  const part = (name) => root.querySelector(`[data-practice="${name}"]`);
  const cards = [...root.querySelectorAll(".am-card")];
  const counter = part("count");
  const [REVEAL, KNEW, MISSED] = ["reveal", "knew", "missed"];
  const KEYS = { " ": REVEAL, enter: REVEAL, 1: KNEW, j: KNEW, 2: MISSED, k: MISSED };
  let current = null;

  const answer = (card) => card.querySelector(":scope > details");
  const heading = (card) => card.querySelector("h2");

  // Anything else that stands in the store was not written here.
  function rating(card) {
    const entry = store.get("cards")[card.dataset.question];
    return typeof entry?.known === "boolean" && Number.isFinite(entry.turn) ? entry : null;
  }

  function lastTurn() {
    return Math.max(0, ...cards.map((card) => rating(card)?.turn ?? 0));
  }

  function chosen() {
    const [group, tag] = [part("group").value, part("tag").value];
    return cards.filter(({ dataset }) => (!group || dataset.group === group) && (!tag || dataset.tag === tag));
  }

  // The one that was just rated waits for one other.
  function next(rated) {
    const all = chosen();
    const order = (card) => {
      const entry = rating(card);
      return entry ? [entry.known ? 2 : 0, entry.turn] : [1, 0];
    };
    const queue = all.filter((card) => card !== rated || all.length === 1).map((card) => ({ card, order: order(card) }));
    queue.sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
    return queue[0]?.card ?? null;
  }

  function count() {
    const ratings = chosen().map(rating);
    const known = ratings.filter((entry) => entry?.known).length;
    const missed = ratings.filter((entry) => entry && !entry.known).length;
    const total = ratings.length;
    counter.textContent = `${total} questions: ${known} known, ${missed} missed, ${total - known - missed} not seen yet.`;
  }

  function show(card, focus) {
    current = card;
    for (const other of cards) {
      other.hidden = other !== card;
      answer(other).open = false;
    }
    part("none").hidden = card !== null;
    part("rate").hidden = true;
    count();
    if (focus) (card ? heading(card) : part("none")).focus();
  }

  function reveal() {
    if (!current || answer(current).open) return false;
    answer(current).open = true;
    part("rate").hidden = false;
    answer(current).querySelector(".am-answer__body").focus();
    return true;
  }

  function rate(known) {
    if (!current || !answer(current).open) return false;
    store.set("cards", current.dataset.question, { known, turn: lastTurn() + 1 }, counter);
    show(next(current), true);
    return true;
  }

  // Where a key means something of its own, it keeps that meaning.
  function isTaken(event, action) {
    const written = "input, select, textarea, [contenteditable]";
    const own = action === REVEAL ? `${written}, a, button, label, summary` : written;
    const searching = document.querySelector('[data-md-toggle="search"]')?.checked;
    const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    return event.defaultPrevented || modified || searching || event.target.closest?.(own);
  }

  function press(event) {
    const action = KEYS[event.key?.toLowerCase()]; // Filling in a form by itself presses keys without a name.
    if (!action || !part("keys").checked || isTaken(event, action)) return;
    if (action === REVEAL ? reveal() : rate(action === KNEW)) event.preventDefault();
  }

  function ask(open) {
    part("sure").hidden = !open;
    part("reset").hidden = open;
    (open ? part("keep") : part("reset")).focus();
  }

  function forget() {
    store.clear("cards", counter);
    ask(false);
    show(next(null), true);
  }

  for (const card of cards) {
    heading(card).tabIndex = -1;
    const body = answer(card).querySelector(".am-answer__body");
    body.tabIndex = -1;
    answer(card).addEventListener("toggle", () => {
      if (card === current) part("rate").hidden = !answer(card).open;
    });
  }
  for (const name of ["group", "tag"]) part(name).addEventListener("change", () => show(next(null), false));
  part("keys").checked = store.get("settings").keys !== false;
  part("keys").addEventListener("change", () => store.set("settings", "keys", part("keys").checked, counter));
  part("filters").addEventListener("submit", (event) => event.preventDefault());
  part("knew").addEventListener("click", () => rate(true));
  part("missed").addEventListener("click", () => rate(false));
  part("reset").addEventListener("click", () => ask(true));
  part("keep").addEventListener("click", () => ask(false));
  part("forget").addEventListener("click", forget);
  part("sure").addEventListener("keydown", (event) => event.key === "Escape" && ask(false));
  document.addEventListener("keydown", press);
  store.onChange(count);

  for (const name of ["help", "filters", "count", "resetting"]) part(name).hidden = false;
  store.check(counter);
  const linked = cards.find((card) => `#${heading(card).id}` === location.hash);
  show(linked ?? next(null), false);
})();
