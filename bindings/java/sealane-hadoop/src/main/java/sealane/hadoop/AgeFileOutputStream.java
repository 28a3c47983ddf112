package sealane.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.StreamCapabilities;
import sealane.age.AgeOutputStream;
import sealane.age.AgeRecipients;

/** A file that is encrypted, and can be aborted. */
final class AgeFileOutputStream extends OutputStream implements Abortable, StreamCapabilities {
    private final CreatedOutputStream file;
    private final AgeOutputStream age;
    private boolean closed;

    AgeFileOutputStream(CreatedOutputStream.Creation creation, AgeRecipients recipients) throws IOException {
        file = new CreatedOutputStream(creation);
        // The header is created first. If that fails, no file is created or replaced.
        try {
            age = new AgeOutputStream(file, recipients);
        } catch (IOException | RuntimeException | Error e) {
            discard(e);
            throw e;
        }
    }

    /** Discards an incomplete file, if its file system can do that, so that it replaces nothing. */
    private void discard(Throwable failure) {
        try {
            try {
                file.abort();
            } finally {
                file.finish();
            }
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void write(int b) throws IOException {
        age.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        age.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        age.flush();
    }

    @Override
    public boolean hasCapability(String capability) {
        return capability.equalsIgnoreCase(StreamCapabilities.ABORTABLE_STREAM) && file.isAbortable();
    }

    /**
     * Closes the file without its last chunk, and discards it if its file system can do that.
     * Elsewhere an incomplete file is left, which cannot be read to its end.
     */
    @Override
    public AbortableResult abort() {
        boolean wasClosed = closed;
        IOException failure = null;
        if (!closed) {
            age.abort();
            try {
                file.abort();
                close();
            } catch (IOException e) {
                failure = e;
            }
        }
        return new Result(wasClosed, failure);
    }

    private record Result(boolean alreadyClosed, IOException anyCleanupException) implements AbortableResult {}

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            // Fails if an earlier write or flush has failed.
            age.close();
        } catch (IOException | RuntimeException | Error e) {
            discard(e);
            throw e;
        }
        file.finish();
    }
}
