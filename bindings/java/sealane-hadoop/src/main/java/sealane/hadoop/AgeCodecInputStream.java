package sealane.hadoop;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionInputStream;
import sealane.age.AgeIdentities;
import sealane.age.AgeInputStream;

/** Decrypts a whole file. */
final class AgeCodecInputStream extends CompressionInputStream {
    private final AgeInputStream age;
    private long position;

    AgeCodecInputStream(InputStream in, Configuration conf) throws IOException {
        super(in);
        try (AgeIdentities identities = Keys.identities(conf)) {
            age = new AgeInputStream(in, identities);
        }
    }

    @Override
    public int read() throws IOException {
        int b = age.read();
        position += b < 0 ? 0 : 1;
        return b;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = age.read(bytes, offset, length);
        position += Math.max(0, count);
        return count;
    }

    /** Returns the number of bytes of plaintext that have been read. */
    @Override
    public long getPos() {
        return position;
    }

    @Override
    public void resetState() {
        throw new UnsupportedOperationException("an age file is read once");
    }

    @Override
    public void close() throws IOException {
        try (age) {
            super.close();
        }
    }
}
