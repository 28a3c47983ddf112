package sealane.hadoop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.SplitCompressionInputStream;
import org.apache.hadoop.io.compress.SplittableCompressionCodec;

/**
 * A Hadoop compression codec that encrypts. Hadoop, Spark and Hive use it for files named {@code
 * *.age}. They can read a binary file in several splits at once. An armored file is read in one
 * split.
 *
 * <p>The codec encrypts whole files, and the output of map tasks. It refuses to encrypt the parts
 * of sequence files: {@link AgeFileSystem} encrypts such files.
 *
 * <p>{@link AgeProperties} lists the properties that set the keys.
 */
public final class AgeCodec implements Configurable, SplittableCompressionCodec {
    private Configuration conf = new Configuration();

    /** Creates a codec with the keys of the default configuration. */
    public AgeCodec() {}

    @Override
    public void setConf(Configuration conf) {
        this.conf = conf;
    }

    @Override
    public Configuration getConf() {
        return conf;
    }

    @Override
    public String getDefaultExtension() {
        return ".age";
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out) throws IOException {
        return new AgeCodecOutputStream(out, conf);
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor) throws IOException {
        return createOutputStream(out);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return new AgeCodecInputStream(in, conf);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor) throws IOException {
        return createInputStream(in);
    }

    @Override
    public SplitCompressionInputStream createInputStream(
            InputStream seekableIn, Decompressor decompressor, long start, long end, READ_MODE mode)
            throws IOException {
        if (!(seekableIn instanceof Seekable)) {
            throw new IOException("a file that is read in splits must be seekable");
        }
        return new AgeSplitInputStream(seekableIn, conf, start, end);
    }

    @Override
    public Class<? extends Compressor> getCompressorType() {
        return UnusedCompressor.class;
    }

    /** Returns a compressor that the streams do not use. */
    @Override
    public Compressor createCompressor() {
        return new UnusedCompressor();
    }

    @Override
    public Class<? extends Decompressor> getDecompressorType() {
        return UnusedCompressor.class;
    }

    /** Returns a decompressor that the streams do not use. */
    @Override
    public Decompressor createDecompressor() {
        return new UnusedCompressor();
    }
}
