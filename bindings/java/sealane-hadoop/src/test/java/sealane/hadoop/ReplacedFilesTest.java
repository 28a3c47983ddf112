package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import sealane.age.AgeException;

/** Files that are replaced or closed, and keys that fail because of the system. */
class ReplacedFilesTest {
    @TempDir
    java.nio.file.Path folder;

    private Path path(String name) {
        return new Path("age-file://" + folder + "/" + name);
    }

    /** Writes text of several chunks, and returns it. */
    private byte[] write(FileSystem fs, String name, int length) throws IOException {
        byte[] text = new byte[length];
        new Random(length).nextBytes(text);
        try (FSDataOutputStream out = fs.create(path(name))) {
            out.write(text);
        }
        return text;
    }

    /** For each read at a position, Hadoop's local file system opens a file again by its name. */
    @Test
    void aFileThatIsReplacedWhileItIsOpenStaysReadable() throws IOException {
        FileSystem fs = path("").getFileSystem(Support.configuration());
        byte[] text = write(fs, "file", 180_000);
        byte[] other = write(fs, "other", 190_000);
        try (FSDataInputStream in = fs.open(path("file"))) {
            assertArrayEquals(Arrays.copyOf(text, 1000), in.readNBytes(1000));
            for (String name : List.of("%s", ".%s.crc")) {
                Files.move(
                        folder.resolve(name.formatted("other")),
                        folder.resolve(name.formatted("file")),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            assertArrayEquals(Arrays.copyOfRange(text, 1000, text.length), in.readAllBytes());
            byte[] some = new byte[1000];
            in.readFully(70_000, some);
            assertArrayEquals(Arrays.copyOfRange(text, 70_000, 71_000), some);
        }
        try (FSDataInputStream in = fs.open(path("file"))) {
            assertArrayEquals(other, in.readAllBytes());
        }
    }

    @Test
    void aClosedFileIsNotRead() throws IOException {
        FileSystem fs = path("").getFileSystem(Support.configuration());
        write(fs, "file", 180_000);
        FSDataInputStream in = fs.open(path("file"));
        assertEquals(10, in.readNBytes(10).length);
        in.close();
        List<Executable> calls = List.of(
                in::read,
                () -> in.read(new byte[10]),
                () -> in.read(70_000, new byte[10], 0, 10),
                () -> in.readFully(70_000, new byte[10]),
                () -> in.seek(0),
                in::available);
        for (Executable call : calls) {
            assertEquals("the file is closed", assertThrows(IOException.class, call).getMessage());
        }
    }

    /** Returns a configuration with identities, where reading the parts throws {@code reason}. */
    private static Configuration failing(AgeException.Reason reason) {
        return new Configuration(Support.configuration()) {
            @Override
            public char[] getPassword(String name) throws IOException {
                if (name.equals(AgeProperties.PARTS)) {
                    throw new AgeException(reason, "a test asked for it");
                }
                return super.getPassword(name);
            }
        };
    }

    /** Callers skip empty files, so a file that was cut must not be listed as empty. */
    @Test
    void aFileWhoseKeyFailsIsNotListedAsEmpty() throws IOException {
        write(path("").getFileSystem(Support.configuration()), "file", 0);
        for (AgeException.Reason reason : AgeException.Reason.values()) {
            try (AgeFileSystem fs = new AgeFileSystem()) {
                fs.initialize(path("").toUri(), failing(reason));
                switch (reason) {
                    case SYSTEM, INTERNAL -> {
                        for (Executable call : List.<Executable>of(
                                () -> fs.getFileStatus(path("file")), () -> fs.listStatus(path("")))) {
                            IOException e = assertThrows(IOException.class, call);
                            assertEquals(path("file") + ": a test asked for it", e.getMessage());
                        }
                    }
                    case NO_MATCH, TOO_FEW_SHARES, EXCESSIVE_WORK ->
                        assertEquals(0, fs.getFileStatus(path("file")).getLen());
                    default -> assertEquals(
                            Files.size(folder.resolve("file")), fs.getFileStatus(path("file")).getLen());
                }
            }
        }
    }
}
