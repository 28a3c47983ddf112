package sealane.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A file that is created on the first write. {@link #finish} closes it. {@link #close} does
 * nothing, because {@link sealane.age.AgeOutputStream} also calls it if the file is incomplete.
 */
final class CreatedOutputStream extends OutputStream {
    /** Creates the file. */
    interface Creation {
        FSDataOutputStream create() throws IOException;
    }

    private final Creation creation;

    /** The file, or null. */
    private FSDataOutputStream file;

    CreatedOutputStream(Creation creation) {
        this.creation = creation;
    }

    private FSDataOutputStream file() throws IOException {
        if (file == null) {
            file = creation.create();
        }
        return file;
    }

    @Override
    public void write(int b) throws IOException {
        file().write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        file().write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        if (file != null) {
            file.flush();
        }
    }

    /** Returns whether {@link #abort} discards what was written. */
    boolean isAbortable() {
        return file != null && file.hasCapability(StreamCapabilities.ABORTABLE_STREAM);
    }

    /**
     * Discards what was written, if the file system of the file can do that, so that {@link
     * #finish} neither creates nor replaces the file.
     */
    void abort() {
        if (isAbortable()) {
            file.abort();
        }
    }

    @Override
    public void close() {}

    /** Closes the file, which also replaces an older one in some file systems. */
    void finish() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
