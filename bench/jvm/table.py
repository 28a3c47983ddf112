"""Prints the results of `run` as tables in Markdown: table.py [--best] RESULT.json…

With --best, takes the fastest iteration of each benchmark instead of the mean. Other programs only
slow iterations down, so this is for a machine that is not idle. Many short iterations are best, as
with `run all -f 2 -wi 6 -w 100ms -i 40 -r 40ms`.

The last table has the rows of docs/performance/java.md from which `cargo xtask figures` draws
docs/java.svg.
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
                if row["params"].get("algorithm") == "ChaCha20":
                    operation += " with ChaCha20 alone"
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
        print(f"| {name} here | " + " / ".join(cells) + " |")


def main():
    arguments = sys.argv[1:]
    best = arguments[:1] == ["--best"]
    results = read(arguments[best:], best)
    ratios(results)
    if set(PUBLISHED) <= set(results.get("seal", {})):
        operations(results)


main()
