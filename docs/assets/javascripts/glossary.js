// A marked term tells its definition on hover, on focus and on the first tap; the link leads to the glossary.
//
// Without this script such a term is a plain link to its entry.
window.driftTips({
  selector: ".am-term",
  id: "am-term-tip",
  opensOnTap: true,
  fill: ({ term, definition }, byTouch) => [
    [term, "drift-tip__value"],
    [definition, "am-term-tip__text"],
    ...(byTouch ? [["Tap again for the glossary.", "am-term-tip__text am-term-tip__hint"]] : []),
  ],
});
