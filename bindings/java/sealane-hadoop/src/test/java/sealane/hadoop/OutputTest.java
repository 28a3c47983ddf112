package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealane.age.AgeException;

/** Files that the file system creates. */
class OutputTest {
    @TempDir
    java.nio.file.Path folder;

    private Path path(String name) {
        return new Path("age-file://" + folder + "/" + name);
    }

    @Test
    void anAbortedLocalFileIsIncomplete() throws IOException {
        FileSystem fs = path("").getFileSystem(Support.configuration());
        FSDataOutputStream out = fs.create(path("file"));
        out.write(new byte[100_000]);
        assertFalse(out.hasCapability(StreamCapabilities.ABORTABLE_STREAM));
        out.abort();
        assertThrows(IOException.class, () -> out.write(1));
        out.close();
        try (FSDataInputStream in = fs.open(path("file"))) {
            AgeException e = assertThrows(AgeException.class, in::readAllBytes);
            assertEquals(AgeException.Reason.NOT_AUTHENTIC, e.reason());
        }
    }

    /** A file that appears when it is closed, as objects do. Writing fails. */
    private static final class Full extends ByteArrayOutputStream implements Abortable, StreamCapabilities {
        private final java.nio.file.Path file;
        private boolean aborted;

        Full(java.nio.file.Path file) {
            this.file = file;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            throw new IllegalStateException("full");
        }

        @Override
        public boolean hasCapability(String capability) {
            return capability.equals(ABORTABLE_STREAM);
        }

        @Override
        public AbortableResult abort() {
            aborted = true;
            return null;
        }

        @Override
        public void close() throws IOException {
            if (!aborted) {
                Files.write(file, toByteArray());
            }
        }
    }

    /** Creates files that are full. */
    public static final class FullFileSystem extends LocalFileSystem {
        @Override
        public FSDataOutputStream create(
                Path path,
                FsPermission permission,
                boolean overwrite,
                int bufferSize,
                short replication,
                long blockSize,
                Progressable progress)
                throws IOException {
            return new FSDataOutputStream(new Full(java.nio.file.Path.of(path.toUri().getPath())), null);
        }
    }

    @Test
    void aHeaderThatCannotBeWrittenReplacesNothing() throws IOException {
        Configuration conf = Support.configuration();
        conf.setClass("fs.file.impl", FullFileSystem.class, FileSystem.class);
        conf.setBoolean("fs.file.impl.disable.cache", true);
        byte[] old = {1, 2, 3};
        Files.write(folder.resolve("file"), old);
        FileSystem fs = path("").getFileSystem(conf);
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> fs.create(path("file")));
        assertEquals("full", e.getMessage());
        assertArrayEquals(old, Files.readAllBytes(folder.resolve("file")));
    }

    @Test
    @SuppressWarnings("deprecation")
    void filesAreCreatedInExistingDirectories() throws IOException {
        FileSystem fs = path("").getFileSystem(Support.configuration());
        byte[] text = new byte[100];
        try (FSDataOutputStream out = fs.createFile(path("file")).build()) {
            out.write(text);
        }
        assertArrayEquals(text, Support.open(folder.resolve("file")));
        assertThrows(IOException.class, () -> fs.createFile(path("new/file")).build());
        assertFalse(Files.exists(folder.resolve("new")));
        fs.createFile(path("new/file")).recursive().build().close();
        fs.createNonRecursive(path("new/file"), true, 4096, (short) 1, 1 << 20, null).close();
        assertArrayEquals(new byte[0], Support.open(folder.resolve("new/file")));
        assertThrows(IOException.class, () -> fs.createNonRecursive(path("file"), false, 4096, (short) 1, 1 << 20, null));
        EnumSet<CreateFlag> append = EnumSet.of(CreateFlag.APPEND);
        assertThrows(
                UnsupportedOperationException.class,
                () -> fs.createNonRecursive(path("file"), null, append, 4096, (short) 1, 1 << 20, null));
        assertArrayEquals(text, Support.open(folder.resolve("file")));
    }
}
