package sealane.hadoop;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import sealane.age.AgeOutputStream;
import sealane.age.AgeRecipients;

/** Encrypts a file. {@link #finish} writes the last chunk. */
final class AgeCodecOutputStream extends CompressionOutputStream {
    private final AgeOutputStream age;
    private boolean finished;

    AgeCodecOutputStream(OutputStream out, Configuration conf) throws IOException {
        super(out);
        OutputStream open = new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                // The output is closed with this stream, not after the last chunk.
                flush();
            }
        };
        try (AgeRecipients recipients = Keys.recipients(conf)) {
            age = new AgeOutputStream(open, recipients);
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
    public void finish() throws IOException {
        age.close();
        finished = true;
    }

    /** Does nothing after {@link #finish}, when Hadoop calls it for the output of a map task. */
    @Override
    public void resetState() {
        if (!finished) {
            throw new UnsupportedOperationException("sealane.hadoop.AgeCodec encrypts whole files, and this format"
                    + " compresses parts of a file: use sealane.hadoop.AgeFileSystem");
        }
    }
}
