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

    /**
     * A file that appears when it is closed, as objects do. After some writes, the next ones fail.
     */
    private static final class Full extends ByteArrayOutputStream implements Abortable, StreamCapabilities {
        private final java.nio.file.Path file;
        private int writes;
        private boolean aborted;

        Full(java.nio.file.Path file, int writes) {
            this.file = file;
            this.writes = writes;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (writes-- <= 0) {
                throw new IllegalStateException("full");
            }
            super.write(bytes, offset, length);
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

    /** Creates files that are full after some writes. */
    public static final class FullFileSystem extends LocalFileSystem {
        private static final String WRITES = "test.writes";

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
            java.nio.file.Path file = java.nio.file.Path.of(path.toUri().getPath());
            return new FSDataOutputStream(new Full(file, getConf().getInt(WRITES, 0)), null);
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

    /** The header is written, and the first chunk is not, before the file is closed or then. */
    @Test
    void aFileThatCannotBeFinishedReplacesNothing() throws IOException {
        Configuration conf = Support.configuration();
        conf.setClass("fs.file.impl", FullFileSystem.class, FileSystem.class);
        conf.setBoolean("fs.file.impl.disable.cache", true);
        conf.setInt(FullFileSystem.WRITES, 1);
        byte[] old = {1, 2, 3};
        Files.write(folder.resolve("file"), old);
        FileSystem fs = path("").getFileSystem(conf);
        FSDataOutputStream failing = fs.create(path("file"));
        assertThrows(IllegalStateException.class, () -> failing.write(new byte[200_000]));
        IOException e = assertThrows(IOException.class, failing::close);
        assertEquals("an earlier write failed", e.getMessage());
        assertArrayEquals(old, Files.readAllBytes(folder.resolve("file")));
        FSDataOutputStream closing = fs.create(path("file"));
        closing.write(new byte[10]);
        assertThrows(IllegalStateException.class, closing::close);
        assertArrayEquals(old, Files.readAllBytes(folder.resolve("file")));
        conf.setInt(FullFileSystem.WRITES, 2);
        try (FSDataOutputStream out = path("").getFileSystem(conf).create(path("file"))) {
            out.write(new byte[10]);
        }
        assertArrayEquals(new byte[10], Support.open(folder.resolve("file")));
    }

    /** Spark adds up the statistics of all file systems. */
    @Test
    void writtenBytesAreCountedOnce() throws IOException {
        FileSystem fs = path("").getFileSystem(Support.configuration());
        long before = written();
        try (FSDataOutputStream out = fs.create(path("file"))) {
            out.write(new byte[100_000]);
        }
        long stored = Files.size(folder.resolve("file")) + Files.size(folder.resolve(".file.crc"));
        assertEquals(stored, written() - before);
    }

    @SuppressWarnings("deprecation")
    private static long written() {
        return FileSystem.getAllStatistics().stream().mapToLong(FileSystem.Statistics::getBytesWritten).sum();
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
