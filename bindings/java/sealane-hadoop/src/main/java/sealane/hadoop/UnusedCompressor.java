package sealane.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DoNotPool;

/**
 * Passed by Hadoop to the methods of {@link AgeCodec} that create streams. The streams need no such
 * object, but Hadoop writes and reads the output of map tasks without the codec if the codec has
 * none.
 */
@DoNotPool
final class UnusedCompressor implements Compressor, Decompressor {
    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("encryption needs the streams of the codec");
    }

    @Override
    public void reset() {}

    @Override
    public void reinit(Configuration conf) {}

    @Override
    public void end() {}

    @Override
    public void setInput(byte[] bytes, int offset, int length) {
        throw unsupported();
    }

    @Override
    public boolean needsInput() {
        throw unsupported();
    }

    @Override
    public void setDictionary(byte[] bytes, int offset, int length) {
        throw unsupported();
    }

    @Override
    public boolean needsDictionary() {
        throw unsupported();
    }

    @Override
    public long getBytesRead() {
        throw unsupported();
    }

    @Override
    public long getBytesWritten() {
        throw unsupported();
    }

    @Override
    public int getRemaining() {
        throw unsupported();
    }

    @Override
    public void finish() {
        throw unsupported();
    }

    @Override
    public boolean finished() {
        throw unsupported();
    }

    @Override
    public int compress(byte[] bytes, int offset, int length) {
        throw unsupported();
    }

    @Override
    public int decompress(byte[] bytes, int offset, int length) {
        throw unsupported();
    }
}
