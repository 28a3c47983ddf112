package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import sealane.age.AgeException;
import sealane.age.AgeIdentities;
import sealane.age.AgeKey;
import sealane.age.AgeKeyPair;

class FileSystemTest {
    @TempDir
    java.nio.file.Path folder;

    private static byte[] text(int length) {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) (i * i >> 5);
        }
        return text;
    }

    private Path path(String name) {
        return new Path("age-file://" + folder + "/" + name);
    }

    private static FileSystem fileSystem(Configuration conf) throws IOException {
        return new Path("age-file:///").getFileSystem(conf);
    }

    @Test
    void filesHaveThePlaintextsLengthsAndPositions() throws IOException {
        Configuration conf = Support.configuration();
        FileSystem fs = fileSystem(conf);
        for (int length : new int[] {0, 1, 65536, 65537, 200000}) {
            byte[] text = text(length);
            Path path = path("file");
            try (FSDataOutputStream out = fs.create(path, true)) {
                out.write(text);
                assertEquals(length, out.getPos());
            }
            byte[] stored = Files.readAllBytes(folder.resolve("file"));
            assertTrue(new String(stored, StandardCharsets.ISO_8859_1).startsWith("age-encryption.org/v1\n"));
            assertEquals(length, fs.getFileStatus(path).getLen());
            assertEquals(length, fs.listStatus(path)[0].getLen());
            assertEquals(path, fs.listStatus(path(""))[0].getPath());
            try (FSDataInputStream in = fs.open(path)) {
                assertArrayEquals(text, in.readAllBytes());
                assertEquals(-1, in.read());
                for (int position : new int[] {0, 1, 65535, 65536, length / 2, length}) {
                    if (position <= length) {
                        in.seek(position);
                        assertArrayEquals(Arrays.copyOfRange(text, position, length), in.readAllBytes());
                        byte[] some = new byte[Math.min(100, length - position)];
                        in.readFully(position, some);
                        assertArrayEquals(Arrays.copyOfRange(text, position, position + some.length), some);
                    }
                }
                assertThrows(EOFException.class, () -> in.seek(length + 1));
                assertThrows(EOFException.class, () -> in.seek(-1));
            }
        }
        assertEquals("age-file", fs.getScheme());
    }

    @Test
    void eachConfigurationHasItsOwnKeys() throws IOException {
        Configuration ours = Support.configuration();
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        Configuration theirs = Support.configuration();
        theirs.set(AgeProperties.RECIPIENTS, pair.recipient());
        theirs.set(AgeProperties.IDENTITIES, pair.identity());
        for (Configuration conf : List.of(ours, theirs)) {
            FileSystem fs = path("").getFileSystem(conf);
            fs.create(path("file")).close();
            fs.open(path("file")).close();
            Configuration other = conf == ours ? theirs : ours;
            FileSystem stranger = path("").getFileSystem(other);
            assertThrows(IOException.class, () -> stranger.open(path("file")));
        }
    }

    @Test
    void aKeyIsUnwrappedOnce() throws IOException {
        Configuration conf = Support.configuration();
        for (int length : new int[] {0, 100_000}) {
            Support.seal(folder.resolve("file"), text(length), false);
            int before = Keys.unwrapped();
            // Each of these file systems is a new one, as in different tasks.
            for (int i = 0; i < 2; i++) {
                FileSystem fs = fileSystem(conf);
                assertEquals(length, fs.getFileStatus(path("file")).getLen());
                assertEquals(length, fs.listStatus(path(""))[0].getLen());
                for (int j = 0; j < 2; j++) {
                    try (FSDataInputStream in = fs.open(path("file"))) {
                        assertArrayEquals(text(length), in.readAllBytes());
                    }
                }
            }
            assertEquals(before + 1, Keys.unwrapped(), "length " + length);
        }
    }

    @Test
    void onlyIntactFilesAreEmpty() throws IOException {
        Configuration conf = Support.configuration();
        Support.seal(folder.resolve("file"), text(100), false);
        byte[] file = Files.readAllBytes(folder.resolve("file"));
        byte[] cut = Arrays.copyOf(file, AgeKey.preambleLength(file, file.length) + AgeKey.TAG_BYTES);
        Files.write(folder.resolve("file"), cut);
        FileSystem fs = fileSystem(conf);
        assertEquals(cut.length, fs.getFileStatus(path("file")).getLen());
        assertEquals(cut.length, fs.listStatus(path(""))[0].getLen());
        try (FSDataInputStream in = fs.open(path("file"))) {
            AgeException e = assertThrows(AgeException.class, in::read);
            assertEquals(AgeException.Reason.NOT_AUTHENTIC, e.reason());
        }
        // Without the right key, nothing is known but the length.
        Configuration none = Support.configuration();
        none.unset(AgeProperties.IDENTITIES);
        assertEquals(0, fileSystem(none).getFileStatus(path("file")).getLen());
        none.set(AgeProperties.IDENTITIES, AgeKeyPair.generate(AgeKeyPair.Kind.X25519).identity());
        assertEquals(0, fileSystem(none).getFileStatus(path("file")).getLen());
    }

    @Test
    void anEmptyFileIsEmptyForThePartsOfAnotherFile() throws IOException {
        AgeKeyPair one = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgeKeyPair two = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        Configuration conf = Support.configuration();
        conf.set(AgeProperties.RECIPIENTS, one.recipient() + "," + two.recipient());
        conf.setInt(AgeProperties.REQUIRED, 2);
        conf.set(AgeProperties.IDENTITIES, one.identity());
        FileSystem fs = fileSystem(conf);
        try (FSDataOutputStream out = fs.create(path("file"))) {
            out.write(1);
        }
        fs.create(path("empty")).close();
        try (AgeIdentities identities = AgeIdentities.of(two.identity())) {
            byte[] file = Files.readAllBytes(folder.resolve("file"));
            conf.set(AgeProperties.PARTS, identities.contribute(file).get(0).text());
        }
        fs.open(path("file")).close();
        IOException e = assertThrows(IOException.class, () -> fs.open(path("empty")));
        assertEquals(path("empty") + ": a part is of another file", e.getMessage());
        assertEquals(0, fs.getFileStatus(path("empty")).getLen());
    }

    @Test
    void filesAreRenamedAndDeleted() throws IOException {
        FileSystem fs = fileSystem(Support.configuration());
        assertTrue(fs.mkdirs(path("a/b")));
        fs.create(path("a/b/file")).close();
        assertTrue(fs.rename(path("a/b/file"), path("a/other file")));
        assertFalse(fs.exists(path("a/b/file")));
        FileStatus[] found = fs.globStatus(path("a/o*"));
        assertEquals(1, found.length);
        assertEquals(path("a/other file"), found[0].getPath());
        assertThrows(UnsupportedOperationException.class, () -> fs.append(path("a/other file")));
        fs.setWorkingDirectory(path("a"));
        assertTrue(fs.exists(new Path("other file")));
        assertThrows(IllegalArgumentException.class, () -> fs.exists(new Path("file:///tmp")));
        assertTrue(fs.delete(path("a"), true));
        assertFalse(Files.exists(folder.resolve("a")));
    }

    @Test
    void aFailedCreationReplacesNothing() throws IOException {
        try (FSDataOutputStream out = fileSystem(Support.configuration()).create(path("file"))) {
            out.write(text(100));
        }
        byte[] old = Files.readAllBytes(folder.resolve("file"));
        Configuration mixed = Support.configuration();
        mixed.set(
                AgeProperties.RECIPIENTS,
                mixed.get(AgeProperties.RECIPIENTS) + ","
                        + AgeKeyPair.generate(AgeKeyPair.Kind.MLKEM768_X25519).recipient());
        Configuration shared = Support.configuration();
        shared.unset(AgeProperties.RECIPIENTS);
        shared.set(AgeProperties.PASSPHRASE, "passphrase");
        shared.setInt(AgeProperties.WORK_FACTOR, 4);
        shared.setInt(AgeProperties.REQUIRED, 2);
        for (Configuration conf : List.of(mixed, shared)) {
            AgeFileSystem fs = new AgeFileSystem();
            fs.initialize(path("").toUri(), conf);
            AgeException e = assertThrows(AgeException.class, () -> fs.create(path("file"), true));
            assertEquals(AgeException.Reason.INVALID_RECIPIENTS, e.reason());
            assertThrows(AgeException.class, () -> fs.create(path("new"), true));
            assertArrayEquals(old, Files.readAllBytes(folder.resolve("file")));
            assertFalse(Files.exists(folder.resolve("new")));
        }
        FileSystem fs = fileSystem(Support.configuration());
        assertThrows(IOException.class, () -> fs.create(path("file"), false));
        assertArrayEquals(old, Files.readAllBytes(folder.resolve("file")));
    }

    /** Some files are deleted as soon as they have been listed. */
    public static final class Vanishing extends LocalFileSystem {
        @Override
        public FileStatus[] listStatus(Path path) throws IOException {
            FileStatus[] statuses = super.listStatus(path);
            for (FileStatus status : statuses) {
                if (status.getPath().getName().startsWith("gone")) {
                    assertTrue(delete(status.getPath(), false));
                }
            }
            return statuses;
        }
    }

    @Test
    void filesThatAreDeletedMeanwhileAreLeftOut() throws IOException {
        Configuration conf = Support.configuration();
        conf.setClass("fs.file.impl", Vanishing.class, FileSystem.class);
        conf.setBoolean("fs.file.impl.disable.cache", true);
        AgeFileSystem fs = new AgeFileSystem();
        fs.initialize(path("").toUri(), conf);
        for (String name : new String[] {"a", "gone", "z"}) {
            fs.create(path(name)).close();
        }
        FileStatus[] found = fs.listStatus(path(""));
        assertFalse(Files.exists(folder.resolve("gone")));
        assertEquals(
                List.of(path("a"), path("z")),
                Arrays.stream(found).map(FileStatus::getPath).sorted().toList());
        // The caller asked for just this file.
        fs.create(path("gone")).close();
        assertThrows(FileNotFoundException.class, () -> fs.listStatus(path("gone")));
    }

    @Test
    void locationsOfADeletedFileAreThoseOfTheListing() throws IOException {
        FileSystem fs = fileSystem(Support.configuration());
        fs.create(path("file")).close();
        RemoteIterator<LocatedFileStatus> listed = fs.listLocatedStatus(path(""));
        assertTrue(fs.delete(path("file"), false));
        LocatedFileStatus found = listed.next();
        assertEquals(path("file"), found.getPath());
        assertFalse(listed.hasNext());
    }

    /** Some files cannot be opened, which Java's streams report as not found. */
    public static final class Locking extends LocalFileSystem {
        @Override
        public FSDataInputStream open(Path path, int bufferSize) throws IOException {
            if (path.getName().startsWith("locked")) {
                throw new FileNotFoundException(path + " (Permission denied)");
            }
            return super.open(path, bufferSize);
        }
    }

    @Test
    void filesThatCannotBeOpenedAreNotLeftOut() throws IOException {
        Configuration conf = Support.configuration();
        conf.setClass("fs.file.impl", Locking.class, FileSystem.class);
        conf.setBoolean("fs.file.impl.disable.cache", true);
        AgeFileSystem fs = new AgeFileSystem();
        fs.initialize(path("").toUri(), conf);
        for (String name : new String[] {"a", "locked", "z"}) {
            fs.create(path(name)).close();
        }
        List<Executable> calls = List.of(
                () -> fs.listStatus(path("")),
                () -> fs.listStatus(path("locked")),
                () -> fs.exists(path("locked")),
                () -> fs.open(path("locked")));
        for (Executable call : calls) {
            IOException e = assertThrows(IOException.class, call);
            assertFalse(e instanceof FileNotFoundException, e.toString());
            assertEquals(path("locked") + " cannot be read", e.getMessage());
        }
        assertFalse(fs.exists(path("locked too")));
        assertThrows(FileNotFoundException.class, () -> fs.open(path("locked too")));
    }

    @Test
    void damageAndOtherFilesFail() throws IOException {
        Configuration conf = Support.configuration();
        FileSystem fs = fileSystem(conf);
        try (FSDataOutputStream out = fs.create(path("file"))) {
            out.write(text(200000));
        }
        // The checksums of Hadoop's local file system would detect the damage first.
        Files.deleteIfExists(folder.resolve(".file.crc"));
        byte[] file = Files.readAllBytes(folder.resolve("file"));
        byte[] changed = file.clone();
        changed[file.length - 60000] ^= 1;
        Files.write(folder.resolve("file"), changed);
        try (FSDataInputStream in = fs.open(path("file"))) {
            in.readFully(0, new byte[131072]);
            IOException e = assertThrows(IOException.class, () -> in.readFully(131072, new byte[10]));
            assertEquals("chunk 2 (plaintext from byte 131072) is corrupt", e.getMessage());
        }
        Files.write(folder.resolve("file"), Arrays.copyOf(file, file.length - 3392 - 16));
        try (FSDataInputStream in = fs.open(path("file"))) {
            assertEquals(196608, fs.getFileStatus(path("file")).getLen());
            AgeException e = assertThrows(AgeException.class, in::readAllBytes);
            assertEquals("the file is cut short: chunk 3 (plaintext from byte 196608) is missing", e.getMessage());
            assertEquals(3, e.chunk().getAsLong());
        }
        // A position after the end of the file that is left.
        try (FSDataInputStream in = fs.open(path("file"))) {
            assertThrows(AgeException.class, () -> in.read(199000, new byte[10], 0, 10));
        }
        // A file that becomes shorter after it was opened.
        Files.write(folder.resolve("file"), file);
        try (FSDataInputStream in = fs.open(path("file"))) {
            assertEquals(10, in.read(199990, new byte[20], 0, 20));
            assertEquals(-1, in.read(200000, new byte[10], 0, 10));
            Files.write(folder.resolve("file"), Arrays.copyOf(file, file.length - 100000));
            for (int position : new int[] {131072, 70000}) {
                AgeException cut =
                        assertThrows(AgeException.class, () -> in.read(position, new byte[10], 0, 10));
                assertEquals(AgeException.Reason.NOT_AUTHENTIC, cut.reason());
                in.seek(position);
                assertThrows(AgeException.class, in::read);
            }
        }
        Files.writeString(folder.resolve("plain"), "no file of age");
        assertEquals(14, fs.getFileStatus(path("plain")).getLen());
        IOException e = assertThrows(IOException.class, () -> fs.open(path("plain")));
        assertTrue(e.getMessage().startsWith(path("plain") + ": "), e.getMessage());

        Configuration none = Support.configuration();
        none.unset(AgeProperties.RECIPIENTS);
        AgeFileSystem without = new AgeFileSystem();
        without.initialize(path("").toUri(), none);
        e = assertThrows(IOException.class, () -> without.create(path("new")));
        assertTrue(e.getMessage().contains(AgeProperties.RECIPIENTS), e.getMessage());
        assertFalse(Files.exists(folder.resolve("new")));
        assertThrows(IOException.class, () -> new AgeFileSystem().initialize(new Path("file:///").toUri(), none));
    }
}
