package sealane.hadoop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import sealane.age.AgeIdentities;
import sealane.age.AgeInputStream;
import sealane.age.AgeKeyPair;
import sealane.age.AgeOutputStream;
import sealane.age.AgeRecipients;

/** What the tests share. */
final class Support {
    private static final AgeKeyPair PAIR = pair();

    private Support() {}

    private static AgeKeyPair pair() {
        try {
            return AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a configuration with keys. */
    static Configuration configuration() {
        Configuration conf = new Configuration(false);
        conf.set(AgeProperties.IDENTITIES, PAIR.identity());
        conf.set(AgeProperties.RECIPIENTS, PAIR.recipient());
        conf.setClass("fs.file.impl", org.apache.hadoop.fs.LocalFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
        conf.setClass("fs.age-file.impl", AgeFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
        conf.setBoolean("fs.age-file.impl.disable.cache", true);
        conf.set("io.compression.codecs", AgeCodec.class.getName());
        return conf;
    }

    static void seal(Path path, byte[] text, boolean armored) throws IOException {
        try (AgeRecipients recipients = AgeRecipients.of(PAIR.recipient());
                OutputStream file = Files.newOutputStream(path);
                AgeOutputStream out = new AgeOutputStream(file, recipients, armored)) {
            out.write(text);
        }
    }

    /** Returns the plaintext of a file. */
    static byte[] open(Path path) throws IOException {
        try (AgeIdentities identities = AgeIdentities.of(PAIR.identity());
                AgeInputStream in = new AgeInputStream(Files.newInputStream(path), identities)) {
            return in.readAllBytes();
        }
    }

    /** Returns a file that the codec writes with this configuration. */
    static byte[] seal(Configuration conf, String text) throws IOException {
        AgeCodec codec = new AgeCodec();
        codec.setConf(conf);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (OutputStream out = codec.createOutputStream(file)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file.toByteArray();
    }

    /** Returns the text of a file that the codec opens with this configuration. */
    static String open(Configuration conf, byte[] file) throws IOException {
        AgeCodec codec = new AgeCodec();
        codec.setConf(conf);
        try (InputStream in = codec.createInputStream(new ByteArrayInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
