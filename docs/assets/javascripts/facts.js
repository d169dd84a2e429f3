// A number that quotes a fact tells, on hover and on focus, its full value and where it was made.
//
// Without this script such a number is a plain link to the fact's row.
window.amTips({
  selector: ".am-fact",
  id: "am-tip",
  fill: ({ value, tolerance, fact, source }) => [
    [value, "am-tip__value"],
    [tolerance === "exact" ? ", exact" : ` ${tolerance}`, "am-tip__note"],
    [fact, "am-tip__fact"],
    [source, "am-tip__fact"],
  ],
});
