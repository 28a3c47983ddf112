package sealane.age;

/**
 * A part that a holder contributes to a file for several holders. {@link #toString} shows
 * everything but the text.
 *
 * @param text the text, which is secret: {@code SEALANE-PART-1…}
 * @param threshold the number of parts that open the file together
 * @param count the number of holders
 * @param point the number of this holder, from 1
 * @param label the note of the maker of the file, which is authentic, or an empty text
 */
public record AgePart(String text, int threshold, int count, int point, String label) {
    @Override
    public String toString() {
        return "AgePart[" + point + " of " + count + ", " + threshold + " open the file, label \"" + label + "\"]";
    }
}
