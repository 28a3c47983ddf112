package sealane.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import sealane.age.AgeException;
import sealane.age.AgeKey;
import sealane.age.AgeRecipients;

/**
 * A file system that stores its files encrypted in another one: {@code age-file:///data} is {@code
 * file:///data}, {@code age-s3a://bucket} is {@code s3a://bucket}. Each file is a binary age file
 * with the same name. To use it, set the property {@code fs.age-file.impl}, {@code fs.age-s3a.impl}
 * and so on to the name of this class.
 *
 * <p>Hadoop keeps one file system for each scheme and authority, with the keys of the configuration
 * that opened it first. Set {@code fs.age-file.impl.disable.cache} and so on to {@code true}, so
 * that files get the keys of their own configuration.
 *
 * <p>Positions and lengths are those of the plaintext. Listing reads the header of each file to
 * find its length, which needs no key. If there are identities, it checks that a file of length 0
 * is not a longer one that was cut. A file that is not an age file, or was cut in this way, is
 * listed with its stored length, and cannot be decrypted.
 */
public final class AgeFileSystem extends FileSystem {
    private static final String PREFIX = "age-";

    /** The reasons why the keys of a configuration do not open a file that may be intact. */
    private static final Set<AgeException.Reason> NOT_FOR_US = EnumSet.of(
            AgeException.Reason.NO_MATCH, AgeException.Reason.TOO_FEW_SHARES, AgeException.Reason.EXCESSIVE_WORK);

    private URI uri;
    private FileSystem inner;

    /** Whether Hadoop's cache keeps the other file system, for all its users. */
    private boolean isInnerShared;

    private Path workingDirectory;

    /** Creates a file system. Hadoop initializes it. */
    public AgeFileSystem() {}

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        super.initialize(name, conf);
        setConf(conf);
        String scheme = name.getScheme();
        if (!scheme.startsWith(PREFIX)) {
            throw new IOException("the scheme must begin with " + PREFIX + ", as in age-file: " + scheme);
        }
        String root = "://" + (name.getAuthority() == null ? "" : name.getAuthority()) + "/";
        uri = URI.create(scheme + root);
        URI innerName = URI.create(scheme.substring(PREFIX.length()) + root);
        inner = FileSystem.get(innerName, conf);
        isInnerShared = !conf.getBoolean("fs." + innerName.getScheme() + ".impl.disable.cache", false);
        workingDirectory = outer(inner.getWorkingDirectory());
    }

    @Override
    public String getScheme() {
        return uri.getScheme();
    }

    @Override
    public URI getUri() {
        return uri;
    }

    private Path inner(Path path) {
        Path absolute = path.isAbsolute() ? path : new Path(workingDirectory, path);
        checkPath(absolute);
        String name = absolute.toUri().getPath();
        // The root of age-s3a://bucket may be written without a slash.
        return new Path(inner.getUri().getScheme(), uri.getAuthority(), name.isEmpty() ? Path.SEPARATOR : name);
    }

    private Path outer(Path path) {
        return new Path(uri.getScheme(), uri.getAuthority(), path.toUri().getPath());
    }

    private FileStatus outer(FileStatus status) throws IOException {
        long length = status.isFile() ? plaintextLength(status) : status.getLen();
        return copy(status, length, outer(status.getPath()));
    }

    private static FileStatus copy(FileStatus status, long length, Path path) {
        return new FileStatus(
                length,
                status.isDirectory(),
                status.getReplication(),
                status.getBlockSize(),
                status.getModificationTime(),
                status.getAccessTime(),
                status.getPermission(),
                status.getOwner(),
                status.getGroup(),
                path);
    }

    /**
     * Returns the plaintext length that follows from the length of a file. Only the last chunk
     * proves it. Callers skip empty files, so for length 0, that chunk is opened.
     */
    private long plaintextLength(FileStatus status) throws IOException {
        try (FSDataInputStream in = inner.open(status.getPath())) {
            byte[] preamble = preamble(in);
            long length = AgeKey.plaintextLength(status.getLen() - preamble.length);
            if (length == 0) {
                checkEmpty(in, preamble);
            }
            return length < 0 ? status.getLen() : length;
        } catch (AgeException e) {
            switch (e.reason()) {
                // Says nothing about the file.
                case SYSTEM, INTERNAL -> throw new IOException(outer(status.getPath()) + ": " + e.getMessage(), e);
                default -> {
                    return status.getLen();
                }
            }
        } catch (FileNotFoundException e) {
            throw notOpened(status.getPath(), e);
        }
    }

    /** Checks that a file with one chunk of length 0 is intact, as far as the keys show. */
    private void checkEmpty(FSDataInputStream in, byte[] preamble) throws IOException {
        if (!Keys.hasIdentities(getConf())) {
            return;
        }
        byte[] chunk = new byte[AgeKey.TAG_BYTES];
        // Not a read at a position, for which a local file would be opened again by its name.
        in.seek(preamble.length);
        in.readFully(chunk);
        try {
            Keys.key(getConf(), preamble).open(0, true, chunk, 0, chunk.length, new byte[0], 0);
        } catch (AgeException e) {
            if (!NOT_FOR_US.contains(e.reason())) {
                throw e;
            }
        }
    }

    /**
     * Returns the exception for a file that was not opened. Hadoop's local file system reports any
     * such file as not found, also if it exists and cannot be read. Callers would then leave it
     * out.
     */
    private IOException notOpened(Path file, FileNotFoundException e) throws IOException {
        // Fails if the file is gone.
        inner.getFileStatus(file);
        return new IOException(outer(file) + " cannot be read", e);
    }

    private static byte[] preamble(FSDataInputStream in) throws IOException {
        return Keys.preamble(length -> {
            in.seek(0);
            return in.readNBytes(length);
        });
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        Path file = inner(path);
        long length = inner.getFileStatus(file).getLen();
        FSDataInputStream in;
        try {
            in = inner.open(file, bufferSize);
        } catch (FileNotFoundException e) {
            throw notOpened(file, e);
        }
        try {
            byte[] preamble = preamble(in);
            AgeKey key = Keys.key(getConf(), preamble);
            return new FSDataInputStream(new AgeFileInputStream(in, key, length - preamble.length));
        } catch (AgeException e) {
            in.close();
            throw new IOException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
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
        Path file = inner(path);
        return encrypted(() ->
                inner.create(file, permission, overwrite, bufferSize, replication, blockSize, progress));
    }

    @Override
    @Deprecated
    public FSDataOutputStream createNonRecursive(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        if (flags.contains(CreateFlag.APPEND)) {
            return append(path, bufferSize, progress);
        }
        Path file = inner(path);
        return encrypted(() ->
                inner.createNonRecursive(file, permission, flags, bufferSize, replication, blockSize, progress));
    }

    private FSDataOutputStream encrypted(CreatedOutputStream.Creation creation) throws IOException {
        try (AgeRecipients recipients = Keys.recipients(getConf())) {
            // No statistics: the other file system counts these bytes in its own, and programs such
            // as Spark add up all statistics.
            return new FSDataOutputStream(new AgeFileOutputStream(creation, recipients), null);
        }
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
        throw new UnsupportedOperationException("nothing can be appended to an age file");
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        return inner.rename(inner(from), inner(to));
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return inner.delete(inner(path), recursive);
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        return inner.mkdirs(inner(path), permission);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws FileNotFoundException, IOException {
        FileStatus[] statuses = inner.listStatus(inner(path));
        List<FileStatus> found = new ArrayList<>(statuses.length);
        for (FileStatus status : statuses) {
            try {
                found.add(outer(status));
            } catch (FileNotFoundException e) {
                // The file was deleted after it was listed. This is an error only if the caller
                // asked for just this file.
                if (status.getPath().equals(inner.makeQualified(inner(path)))) {
                    throw e;
                }
            }
        }
        return found.toArray(new FileStatus[0]);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return outer(inner.getFileStatus(inner(path)));
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) throws IOException {
        // Sealed chunks are only 1/4096 longer, so plaintext positions are accurate enough to find
        // the right hosts. The file may be gone since it was listed, so its status is not read
        // again, and its blocks may be anywhere.
        FileStatus status = copy(file, file.getLen(), inner(file.getPath()));
        try {
            return inner.getFileBlockLocations(status, start, length);
        } catch (FileNotFoundException e) {
            return super.getFileBlockLocations(file, start, length);
        }
    }

    @Override
    @Deprecated
    public short getDefaultReplication() {
        return inner.getDefaultReplication();
    }

    @Override
    public short getDefaultReplication(Path path) {
        return inner.getDefaultReplication(inner(path));
    }

    @Override
    @Deprecated
    public long getDefaultBlockSize() {
        return inner.getDefaultBlockSize();
    }

    @Override
    public long getDefaultBlockSize(Path path) {
        return inner.getDefaultBlockSize(inner(path));
    }

    @Override
    @Deprecated
    public FsServerDefaults getServerDefaults() throws IOException {
        return inner.getServerDefaults();
    }

    @Override
    public FsServerDefaults getServerDefaults(Path path) throws IOException {
        return inner.getServerDefaults(inner(path));
    }

    @Override
    public boolean setReplication(Path path, short replication) throws IOException {
        return inner.setReplication(inner(path), replication);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        inner.setPermission(inner(path), permission);
    }

    @Override
    public void setOwner(Path path, String user, String group) throws IOException {
        inner.setOwner(inner(path), user, group);
    }

    @Override
    public void setTimes(Path path, long modification, long access) throws IOException {
        inner.setTimes(inner(path), modification, access);
    }

    @Override
    public void access(Path path, FsAction mode) throws IOException {
        inner.access(inner(path), mode);
    }

    @Override
    public FsStatus getStatus(Path path) throws IOException {
        return inner.getStatus(path == null ? null : inner(path));
    }

    /** Returns the other file system, from which Hadoop gets the delegation tokens of a job. */
    @Override
    public FileSystem[] getChildFileSystems() {
        return new FileSystem[] {inner};
    }

    @Override
    public void setWorkingDirectory(Path directory) {
        workingDirectory = directory.isAbsolute() ? directory : new Path(workingDirectory, directory);
    }

    @Override
    public Path getWorkingDirectory() {
        return workingDirectory;
    }

    @Override
    public void close() throws IOException {
        try {
            // Deletes the files that are to be deleted on exit.
            super.close();
        } finally {
            if (inner != null && !isInnerShared) {
                inner.close();
            }
        }
    }

    @Override
    public Path getHomeDirectory() {
        return outer(inner.getHomeDirectory());
    }
}
