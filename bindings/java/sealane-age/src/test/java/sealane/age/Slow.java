package sealane.age;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Returns at most {@code step} bytes at a time. */
final class Slow extends FilterInputStream {
    private final int step;

    Slow(InputStream in, int step) {
        super(in);
        this.step = step;
    }

    @Override
    public int read(byte[] out, int offset, int length) throws IOException {
        return super.read(out, offset, Math.min(length, step));
    }
}
