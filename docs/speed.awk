# Draws docs/speed.svg from the first AVX-512 table of docs/performance.md:
#
#     awk -f docs/speed.awk docs/performance.md > docs/speed.svg
#
# Reads the sizes, our speed and three ratios of sealing. A peer's speed is ours divided by the
# ratio. Fails if a row is missing.

BEGIN { FS = " *[|] *" }

/^## / { section = /Intel Xeon/ }
section && !columns && NF > 10 { columns = NF - 1; for (i = 3; i <= columns; i++) size[i] = $i }
section && $2 ~ /^[*][*]/ { sealing = ($2 == "**seal**") }
sealing && $2 == "**seal**" { take("ours") }
sealing && $2 == "× best of all" { take("all") }
sealing && $2 == "× best but ipsec-mb" { take("others") }
sealing && $2 == "× OpenSSL" { take("openssl") }

function take(row) { rows++; for (i = 3; i <= columns; i++) cell[row, i] = $i }

# Our speed in GB/s. Cells of short messages are nanoseconds.
function ours(i, text, parts) {
    text = cell["ours", i]
    if (text !~ /ns/) return text + 0
    split(size[i], parts, " ")
    return parts[1] / (text + 0)
}
function speed(row, i) { return row == "ours" ? ours(i) : ours(i) / cell[row, i] }
function x(i) { return 56 + (i - 3) * 50 }
function y(gb) { return 356 - gb * 50 }

function line(row, colour, width, name, at, dx, dy, anchor, points) {
    for (i = 3; i <= columns; i++) points = points sprintf(" %d,%.1f", x(i), y(speed(row, i)))
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>\n", substr(points, 2), colour, width
    printf "<text x=\"%d\" y=\"%.1f\" fill=\"%s\" text-anchor=\"%s\">%s</text>\n", x(at) + dx, y(speed(row, at)) + dy, colour, anchor, name
}

END {
    if (failed || rows != 4) {
        print "the table of sealing with AVX-512 has other rows than this program knows" > "/dev/stderr"
        exit 1
    }
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 410\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">"
    print "<rect width=\"760\" height=\"410\" rx=\"6\" fill=\"#fff\" stroke=\"#bbb\"/>"
    print "<text x=\"16\" y=\"26\" font-size=\"15\">ChaCha20-Poly1305, sealing: GB/s by message size, one core</text>"
    print "<text x=\"16\" y=\"42\" fill=\"#666\">Intel Xeon (Granite Rapids), AVX-512 with IFMA</text>"
    for (gb = 0; gb <= 6; gb++) {
        printf "<path d=\"M56 %dH%d\" stroke=\"#e4e4e4\"/>\n", y(gb), x(columns)
        printf "<text x=\"48\" y=\"%d\" text-anchor=\"end\">%d</text>\n", y(gb) + 4, gb
    }
    for (i = 3; i <= columns; i++) {
        printf "<text x=\"%d\" y=\"376\" text-anchor=\"middle\" font-size=\"11\">%s</text>\n", x(i), size[i]
    }
    print "<text x=\"331\" y=\"396\" text-anchor=\"middle\" fill=\"#666\">message size</text>"
    line("openssl", "#888888", 1.5, "OpenSSL", 9, 6, 16, "start")
    line("others", "#e69f00", 1.5, "best of 7 others", columns, 10, 4, "start")
    line("all", "#56b4e9", 1.5, "best of all 8", columns, 10, 4, "start")
    line("ours", "#0072b2", 3, "sealane", columns, 10, 4, "start")
    print "</svg>"
}
