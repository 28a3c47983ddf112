"""Prints the results of `run` as tables in Markdown: table.py [--best] RESULT.json…

With --best, takes the fastest iteration of each benchmark instead of the mean. Other programs only
slow iterations down, so this is for a machine that is not idle. Many short iterations are best, as
with `run all -f 2 -wi 6 -w 100ms -i 40 -r 40ms`.

With --plot, draws the operations a second instead: table.py --plot FILE.svg RESULT.json…
"""

import json
import sys

PUBLISHED = [256, 1024, 4096, 16384]


def read(files, best=False):
    """Returns operations a second by operation, length and provider: the mean, or the best."""
    results = {}
    for file in files:
        with open(file) as opened:
            for row in json.load(opened):
                operation = row["benchmark"].rsplit(".", 1)[1]
                size = int(row["params"]["size"])
                provider = row["params"]["provider"]
                metric = row["primaryMetric"]
                score = max(map(max, metric["rawData"])) if best else metric["score"]
                results.setdefault(operation, {}).setdefault(size, {})[provider] = score
    return results


def ratios(results):
    """Prints the ratio of Sealane's operations a second to those of each other provider."""
    for operation, sizes in sorted(results.items(), reverse=True):
        others = [name for name in ("SunJCE", "Conscrypt", "BC") if any(name in row for row in sizes.values())]
        print(f"| {operation} | " + " | ".join(f"to {name}" for name in others) + " |")
        print("|---|" + "---|" * len(others))
        for size, row in sorted(sizes.items()):
            cells = (f"{row['Sealane'] / row[name]:.1f}" if name in row else "" for name in others)
            print(f"| {size:,} B | " + " | ".join(cells) + " |")
        print()


def operations(results):
    """Prints operations a second, for the lengths of the published table."""
    print("| | " + " / ".join(f"{size:,}" for size in PUBLISHED) + " |")
    print("|---|---|")
    for name in ("SunJCE", "Sealane"):
        cells = (f"{results['seal'][size][name]:,.0f}" for size in PUBLISHED)
        print(f"| {name} | " + " / ".join(cells) + " |")


def plot(results, file):
    """Draws bars of operations a second. The axis is logarithmic."""
    import math

    width, height, left, bottom = 640, 320, 70, 40
    low, high = 3, 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"',
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="70" y="16">ChaCha20-Poly1305 in Java: messages encrypted in a second</text>',
    ]
    scale = (height - bottom - 30) / (high - low)

    def y(value):
        return height - bottom - (math.log10(value) - low) * scale

    for exponent in range(low, high + 1):
        level = y(10**exponent)
        lines.append(f'<line x1="{left}" x2="{width - 10}" y1="{level:.1f}" y2="{level:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 6}" y="{level + 4:.1f}" text-anchor="end">{10**exponent:,}</text>')
    step = (width - left - 20) / len(PUBLISHED)
    for i, size in enumerate(PUBLISHED):
        for j, (name, colour) in enumerate((("SunJCE", "#9aa5b1"), ("Sealane", "#1769aa"))):
            value = results["seal"][size][name]
            x = left + 20 + i * step + j * 46
            top = y(value)
            size_of_bar = f'width="42" height="{height - bottom - top:.1f}"'
            lines.append(f'<rect x="{x:.1f}" y="{top:.1f}" {size_of_bar} fill="{colour}"/>')
            place = f'x="{x + 21:.1f}" y="{top - 4:.1f}" text-anchor="middle" font-size="9"'
            lines.append(f"<text {place}>{value:,.0f}</text>")
        lines.append(f'<text x="{left + 66 + i * step:.1f}" y="{height - 22}" text-anchor="middle">{size:,} B</text>')
    for j, (name, colour) in enumerate((("SunJCE", "#9aa5b1"), ("Sealane", "#1769aa"))):
        lines.append(f'<rect x="{460 + 80 * j}" y="24" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{474 + 80 * j}" y="33">{name}</text>')
    lines.append("</svg>")
    with open(file, "w") as opened:
        opened.write("\n".join(lines) + "\n")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--plot"]:
        plot(read(arguments[2:]), arguments[1])
        return
    best = arguments[:1] == ["--best"]
    results = read(arguments[best:], best)
    ratios(results)
    if set(PUBLISHED) <= set(results.get("seal", {})):
        operations(results)


main()
