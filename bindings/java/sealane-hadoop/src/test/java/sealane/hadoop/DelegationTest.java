package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the encrypting file system asks the other one. */
class DelegationTest {
    private static final List<String> CALLS = new ArrayList<>();

    @TempDir
    java.nio.file.Path folder;

    private FileSystem fs;
    private Path file;

    /** A local file system that has defaults and tokens, as HDFS has. */
    public static final class Recording extends LocalFileSystem {
        @Override
        public short getDefaultReplication(Path path) {
            return 3;
        }

        @Override
        public long getDefaultBlockSize(Path path) {
            return 128 << 20;
        }

        @Override
        public FsServerDefaults getServerDefaults(Path path) throws IOException {
            FsServerDefaults own = super.getServerDefaults(path);
            return new FsServerDefaults(
                    256 << 20, 512, 65536, (short) 5, 4096, false, own.getTrashInterval(), own.getChecksumType());
        }

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
            CALLS.add("create " + replication + " " + blockSize);
            return super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
        }

        @Override
        public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) throws IOException {
            // HDFS asks its server, which no longer knows a file that was deleted.
            getFileStatus(file.getPath());
            return super.getFileBlockLocations(file, start, length);
        }

        @Override
        public boolean setReplication(Path path, short replication) {
            CALLS.add("setReplication " + path + " " + replication);
            return false;
        }

        @Override
        public void setOwner(Path path, String user, String group) {
            CALLS.add("setOwner " + path + " " + user + " " + group);
        }

        @Override
        public void access(Path path, FsAction mode) throws IOException {
            throw new AccessControlException("no access to " + path + ": " + mode);
        }

        @Override
        public void close() throws IOException {
            CALLS.add("close");
            super.close();
        }

        @Override
        public FsStatus getStatus(Path path) {
            return new FsStatus(100, path == null ? 30 : 40, 60);
        }

        @Override
        public String getCanonicalServiceName() {
            return "inner";
        }

        @Override
        public FileSystem[] getChildFileSystems() {
            return null;
        }

        @Override
        public Token<?> getDelegationToken(String renewer) {
            return new Token<>(new byte[1], new byte[1], new Text(renewer), new Text("inner"));
        }
    }

    @BeforeEach
    void createFile() throws IOException {
        CALLS.clear();
        Configuration conf = Support.configuration();
        conf.setClass("fs.file.impl", Recording.class, FileSystem.class);
        conf.setBoolean("fs.file.impl.disable.cache", true);
        fs = new AgeFileSystem();
        file = new Path("age-file://" + folder + "/file");
        fs.initialize(file.toUri(), conf);
        fs.create(file).close();
    }

    @Test
    @SuppressWarnings("deprecation")
    void defaultsAreThoseOfTheOtherFileSystem() throws IOException {
        assertEquals(List.of("create 3 " + (128 << 20)), CALLS);
        assertEquals(3, fs.getDefaultReplication(file));
        assertEquals(128 << 20, fs.getDefaultBlockSize(file));
        assertEquals(5, fs.getServerDefaults(file).getReplication());
        assertEquals(256 << 20, fs.getServerDefaults(file).getBlockSize());
        FileSystem other = fs.getChildFileSystems()[0];
        assertEquals(other.getDefaultReplication(), fs.getDefaultReplication());
        assertEquals(other.getDefaultBlockSize(), fs.getDefaultBlockSize());
        assertEquals(other.getServerDefaults().getBlockSize(), fs.getServerDefaults().getBlockSize());
        assertEquals(30, fs.getStatus().getUsed());
        assertEquals(40, fs.getStatus(file).getUsed());
    }

    @Test
    void changesReachTheOtherFileSystem() throws IOException {
        java.nio.file.Path stored = folder.resolve("file");
        fs.setPermission(file, new FsPermission("600"));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(stored)));
        fs.setTimes(file, 1_000_000, -1);
        assertEquals(FileTime.fromMillis(1_000_000), Files.getLastModifiedTime(stored));
        assertEquals(1_000_000, fs.getFileStatus(file).getModificationTime());
        CALLS.clear();
        fs.setOwner(file, "alice", "staff");
        assertFalse(fs.setReplication(file, (short) 2));
        String path = "file:" + stored;
        assertEquals(List.of("setOwner " + path + " alice staff", "setReplication " + path + " 2"), CALLS);
        assertThrows(AccessControlException.class, () -> fs.access(file, FsAction.READ));
    }

    @Test
    void aDeletedFileHasLocations() throws IOException {
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(new byte[1000]);
        }
        FileStatus status = fs.getFileStatus(file);
        BlockLocation[] before = fs.getFileBlockLocations(status, 0, 1000);
        fs.delete(file, false);
        BlockLocation[] after = fs.getFileBlockLocations(status, 0, 1000);
        assertEquals(1, after.length);
        assertEquals(before[0].getLength(), after[0].getLength());
        assertEquals("localhost", after[0].getHosts()[0]);
    }

    @Test
    void onlyAFileSystemOfItsOwnIsClosed() throws Exception {
        fs.deleteOnExit(file);
        fs.close();
        assertFalse(Files.exists(folder.resolve("file")));
        assertEquals("close", CALLS.get(CALLS.size() - 1));
        CALLS.clear();
        Configuration shared = Support.configuration();
        shared.setClass("fs.file.impl", Recording.class, FileSystem.class);
        UserGroupInformation user = UserGroupInformation.createRemoteUser("another user");
        try {
            FileSystem cached = user.doAs((PrivilegedExceptionAction<FileSystem>) () -> {
                file.getFileSystem(shared).close();
                return new Path("file:///").getFileSystem(shared);
            });
            assertInstanceOf(Recording.class, cached);
            assertEquals(List.of(), CALLS);
        } finally {
            FileSystem.closeAllForUGI(user);
        }
    }

    @Test
    void whatIsNotSupportedFails() {
        assertThrows(UnsupportedOperationException.class, () -> fs.truncate(file, 0));
        assertThrows(UnsupportedOperationException.class, () -> fs.concat(file, new Path[] {file}));
        assertThrows(UnsupportedOperationException.class, () -> fs.setAcl(file, List.of()));
        assertThrows(UnsupportedOperationException.class, () -> fs.setXAttr(file, "user.name", new byte[1]));
        assertThrows(UnsupportedOperationException.class, () -> fs.setStoragePolicy(file, "COLD"));
        assertThrows(UnsupportedOperationException.class, () -> fs.createSnapshot(file, "name"));
    }

    @Test
    void tokensAreThoseOfTheOtherFileSystem() throws IOException {
        assertNull(fs.getCanonicalServiceName());
        Credentials credentials = new Credentials();
        Token<?>[] tokens = fs.addDelegationTokens("renewer", credentials);
        assertEquals(1, tokens.length);
        assertEquals("renewer", credentials.getToken(new Text("inner")).getKind().toString());
    }
}
