package sealane.age;

/**
 * A part that a holder contributes to open a file for several holders. {@link #toString} omits the
 * secret text.
 *
 * @param text the text, which is secret: {@code SEALANE-PART-1…}
 * @param threshold the number of parts needed to open the file
 * @param count the number of holders
 * @param point the number of this holder, counted from 1
 * @param label the authenticated label, or an empty text
 * @param shareSet the share set id in hexadecimal digits, as {@code sealane inspect} shows it
 */
public record AgePart(String text, int threshold, int count, int point, String label, String shareSet) {
    @Override
    public String toString() {
        return "AgePart[" + point + " of " + count + ", " + threshold + " open the file, label \"" + label
                + "\", share set " + shareSet + "]";
    }
}
