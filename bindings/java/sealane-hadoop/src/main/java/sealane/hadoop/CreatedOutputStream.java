package sealane.hadoop;

import java.io.IOException;
import java.io.OutputStream;

/** A file that is created on the first write. */
final class CreatedOutputStream extends OutputStream {
    /** Creates the file. */
    interface Creation {
        OutputStream create() throws IOException;
    }

    private final Creation creation;

    /** The file, or null. */
    private OutputStream file;

    CreatedOutputStream(Creation creation) {
        this.creation = creation;
    }

    private OutputStream file() throws IOException {
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

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
