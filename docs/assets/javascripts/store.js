// What a reader has read and knows, kept in this browser and sent nowhere.
//
// Storage may be blocked, full, or hold what this site did not write. Then the page works from memory, and says once
// that it will forget.
window.amStore = (() => {
  // A later layout gets another number; what an earlier one left is not read.
  const KEY = "attention-measured/1";
  const listeners = [];
  let unsaved = null; // What could not be written, and holds until this page is left.
  let told = false;

  const empty = () => ({ read: {}, cards: {}, settings: {} });

  function parse(text) {
    const found = JSON.parse(text);
    const state = empty();
    for (const part of Object.keys(state)) Object.assign(state[part], found[part]);
    return state;
  }

  function load() {
    if (unsaved) return unsaved;
    try {
      return parse(window.localStorage.getItem(KEY));
    } catch {
      // Blocked, empty, or written by something else: that counts for nothing, and the next write replaces it.
      return empty();
    }
  }

  function save(state, near) {
    try {
      window.localStorage.setItem(KEY, JSON.stringify(state));
      unsaved = null;
    } catch {
      unsaved = state;
      tell(near);
    }
  }

  function tell(near) {
    if (told) return;
    told = true;
    const notice = document.createElement("p");
    notice.className = "am-notice";
    notice.setAttribute("role", "alert");
    notice.textContent =
      "Your progress cannot be kept: this browser stores nothing for this page, or its store is full. " +
      "It lasts until you leave the page.";
    near.after(notice);
  }

  function call() {
    for (const listener of listeners) listener();
  }

  // Another tab wrote, or this page comes back as it was left.
  window.addEventListener("storage", (event) => (event.key === KEY || event.key === null) && call());
  window.addEventListener("pageshow", (event) => event.persisted && call());

  return {
    /** One part (`read`, `cards`, `settings`) as an object of its own. */
    get: (part) => ({ ...load()[part] }),
    /** Set one entry of a part, `undefined` removes it; what another tab wrote beside it stays. */
    set(part, name, value, near) {
      const state = load();
      if (value === undefined) delete state[part][name];
      else state[part][name] = value;
      save(state, near);
    },
    /** Remove all entries of a part. */
    clear(part, near) {
      save({ ...load(), [part]: {} }, near);
    },
    /** Tell the reader, behind the element `near`, when the store is blocked: reading it throws. */
    check(near) {
      try {
        window.localStorage.getItem(KEY);
      } catch {
        tell(near);
      }
    },
    /** Call `listener` when the store was changed elsewhere. */
    onChange: (listener) => listeners.push(listener),
  };
})();
