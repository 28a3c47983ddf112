#!/bin/sh
# The age plugin protocol (https://c2sp.org/age-plugin) for one recipient, whose stanza contains the
# file key in the clear. Each run writes a line to the log. For tests only.
echo "$1" >> "$PLUGIN_LOG"
key=
while IFS= read -r line; do
    case $line in
    "-> wrap-file-key"*) IFS= read -r key ;;
    "-> recipient-stanza 0 test"*) IFS= read -r key ;;
    "-> done"*) IFS= read -r line; break ;;
    esac
done
case $1 in
--age-plugin=recipient-v1) printf -- '-> recipient-stanza 0 test\n%s\n' "$key" ;;
--age-plugin=identity-v1)
    if [ -n "$key" ]; then printf -- '-> file-key 0\n%s\n' "$key"
    else printf -- '-> done\n\n'; exit; fi ;;
esac
IFS= read -r line; IFS= read -r line
printf -- '-> done\n\n'
