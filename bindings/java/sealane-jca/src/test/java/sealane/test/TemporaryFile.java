package sealane.test;

import java.nio.file.Files;

/** Creates a temporary file before anything else, and prints the report. */
public final class TemporaryFile {
    private TemporaryFile() {}

    public static void main(String[] args) throws Exception {
        Files.delete(Files.createTempFile("first", null));
        Report.main(args);
    }
}
