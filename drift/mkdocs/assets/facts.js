// A number that quotes a fact tells, on hover and on focus, its full value and where it was made; words that claim
// something tell the comparison, as the code writes it, and what it gave.
//
// Without this script such a number is a plain link to the fact's row.
window.driftTips({
  selector: ".drift-fact, .drift-claim",
  id: "drift-tip",
  fill: ({ value, tolerance, fact, source, claim }) => [
    ...(claim ? [[claim, "drift-tip__claim"]] : []),
    [value, "drift-tip__value"],
    [tolerance === "exact" ? ", exact" : ` ${tolerance}`, "drift-tip__note"],
    [fact, "drift-tip__fact"],
    [source, "drift-tip__fact"],
  ],
});
