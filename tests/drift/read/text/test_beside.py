"""What stands beside a number and changes it."""

import pytest

from drift.read.text import beside

QUOTE = "[5](fact:a/b.c)"


def changes(form: str) -> bool:
    text = "so it is " + form.format(QUOTE) + "\n"
    start = text.index(QUOTE)
    return beside.changes(text, start, start + len(QUOTE))


@pytest.mark.parametrize(
    "form",
    [
        # signs, written in any way
        *("‑{}", "‐{}", "‒{}", "–{}", "—{}", "−{}", "-{}", "+{}", "±{}", "∓{}", "﹣{}", "－{}", "(−{})", "−**{}**"),
        *("&minus;{}", "&#8722;{}", "&#x2011;{}", "&ndash;{}", "$-${}", "$−${}", "\\(-\\){}", r"$\pm${}"),
        *("<b>−</b>{}", "<span>‑</span>{}", '<span class="a">-</span>{}', "`-`{}", "*−*{}", "−\u200b{}", "minus {}"),
        *("negative {}", "is minus {}", "about minus {}", "[−](#a){}"),
        # digits
        *(
            "1{}",
            "0.{}",
            "9,{}",
            ".{}",
            "10^{}",
            "{}1",
            "{}.5",
            "{},216",
            "{}e8",
            "{}⁸",
            "{}½",
            "{}<sup>2</sup>",
            "{}&#49;",
        ),
        *(
            "{}$0$",
            "{}`0`",
            "{}<b>0</b>",
            "{}&nbsp;½"[:2] + "&frac12;",
            "{}/2",
            "{} and a half",
            "{}[0](#a)",
            "<i>1</i>{}",
        ),
        # scales
        *(
            "{} %",
            "{}%",
            "**{}** %",
            "{}&#37;",
            "{}&nbsp;%",
            "{}<b>%</b>",
            "{} <b>%</b>",
            "{} ‰",
            "{}‰",
            "{} ‱",
            "{}$\\%$",
        ),
        *(
            "{} percent",
            "{} per cent",
            "{} permille",
            "{} hundred",
            "{}-hundred",
            "{} thousand",
            "{}\nmillion",
            "{} dozen",
        ),
        *("{} billion", "{} trillions", "{}k", "{} k", "{}M", "{} GB", "{} KiB", "{}<abbr>GB</abbr>", "{} `GB`", "{}µ"),
        *(
            "{} × 10^8",
            "{}·10⁸",
            r"{}$\times 10^3$",
            r"{} $\cdot 10^{{3}}$",
            "{} × 10<sup>3</sup>",
            "{}&times;10<sup>3</sup>",
        ),
    ],
)
def test_changes_by_what_touches(form: str) -> None:
    """A sign, a digit or a scale beside the brackets makes another number of what is checked inside."""
    assert changes(form)


@pytest.mark.parametrize(
    "form",
    [
        *(
            "top-{}",
            "x − {}",
            "x − {}",
            "({})",
            "{}.",
            "{}, 6",
            "{} bytes",
            "{}-fold",
            "{}s",
            "f(x)-{}",
            "{} e8",
            "{} 5",
            "{}x",
        ),
        *(
            "- {}",
            "| {} |",
            "**{}**",
            "{} or 10",
            "{} times",
            "{}[^1]",
            "{}!",
            "{}: so",
            "{} keys",
            "{} K",
            "{} minutes",
            "{}th",
        ),
        *("$x$ minus {}", "[7](fact:a/b.d) minus {}", "`x` {}", "so — {}", "<b>{}</b>", "&nbsp;{}", "{}&nbsp;keys"),
        *(
            "[7](fact:a/b.d)−{}",
            "{} × [10](fact:a/b.d)",
            "{} $d$",
            "one\n\n−\n\n{}",
            "{}\n\n%",
            '<i class="minus-1">{}</i>',
        ),
    ],
)
def test_changes_nothing_among_words(form: str) -> None:
    """A hyphen in a word, a difference, and what follows in a sentence make no other number."""
    assert not changes(form)


@pytest.mark.parametrize(
    ("behind", "unit"),
    [
        *(
            (" GB of", "GB"),
            (" %", "%"),
            ("%", "%"),
            ("‰", "‰"),
            ("k", "k"),
            (" million", "million"),
            (" hours", "hours"),
        ),
        *(
            (" ms", "ms"),
            (" s,", "s"),
            ("D", "D"),
            ("-D", "-D"),
            (" dozen", "dozen"),
            ("°", "°"),
            ("** %", "%"),
            (" bytes", "bytes"),
        ),
        *(
            (" heads", ""),
            (" K", ""),
            (" sums", ""),
            (" secondary", ""),
            (" D", ""),
            (" h(x)", ""),
            ("", ""),
            (".", ""),
        ),
    ],
)
def test_unit_behind_a_number(behind: str, unit: str) -> None:
    """Scales and measures are units, a word for what is counted is none."""
    assert beside.unit(f"48{behind}", 2) == unit
