package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealane.hadoop.Support.open;
import static sealane.hadoop.Support.seal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.ConfigRedactor;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.mapreduce.util.MRJobConfUtil;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealane.age.AgeException;
import sealane.age.AgeIdentities;
import sealane.age.AgeKey;
import sealane.age.AgeKeyPair;
import sealane.age.AgePart;

class KeysTest {
    /** What Spark 4.3 redacts by default: spark.redaction.regex. */
    private static final Pattern REDACTED =
            Pattern.compile("(?i)secret|password|token|access[.]?key|credential");

    @TempDir
    Path folder;

    @Test
    void namesOfSecretsAreRedacted() {
        ConfigRedactor hadoop = new ConfigRedactor(new Configuration(false));
        for (String name : List.of(AgeProperties.IDENTITIES, AgeProperties.PASSPHRASE, AgeProperties.PARTS)) {
            assertTrue(REDACTED.matcher("spark.hadoop." + name).find(), name);
            assertEquals("<redacted>", hadoop.redact(name, "value"), name);
            assertEquals("<redacted>", hadoop.redact("spark.hadoop." + name, "value"), name);
        }
        assertEquals("value", hadoop.redact(AgeProperties.RECIPIENTS, "value"));
        assertFalse(REDACTED.matcher(AgeProperties.RECIPIENTS).find());
    }

    /**
     * MapReduce redacts the configuration of a job in its history, and only what a property names.
     */
    @Test
    void mapReduceRedactsTheSecretsThatThePageNames() throws IOException {
        String page = Files.readString(Path.of("../../../docs/spark.md"));
        Matcher redacted = Pattern.compile("`mapreduce.job.redacted-properties`\\s+to\\s+`([^`]+)`").matcher(page);
        assertTrue(redacted.find());
        Configuration conf = Support.configuration();
        conf.set("mapreduce.job.redacted-properties", redacted.group(1));
        for (String name : Keys.OPENING) {
            conf.set(name, "value");
        }
        MRJobConfUtil.redact(conf);
        for (String name : Keys.OPENING) {
            assertEquals(MRJobConfUtil.REDACTION_REPLACEMENT_VAL, conf.get(name), name);
        }
    }

    @Test
    void theCodecIsFoundByItsExtension() throws IOException {
        Configuration conf = Support.configuration();
        conf.unset("io.compression.codecs");
        CompressionCodec codec = new CompressionCodecFactory(conf).getCodec(new org.apache.hadoop.fs.Path("a.csv.age"));
        assertInstanceOf(AgeCodec.class, codec);
        Compressor compressor = CodecPool.getCompressor(codec);
        CodecPool.returnCompressor(compressor);
        assertNotSame(compressor, CodecPool.getCompressor(codec));
        Decompressor decompressor = CodecPool.getDecompressor(codec);
        CodecPool.returnDecompressor(decompressor);
        assertNotSame(decompressor, CodecPool.getDecompressor(codec));
        assertEquals("text", open(conf, seal(conf, "text")));
    }

    @Test
    void aFileWhoseFlushFailedCannotBeFinished() throws IOException {
        AgeCodec codec = new AgeCodec();
        codec.setConf(Support.configuration());
        CompressionOutputStream out = codec.createOutputStream(new ByteArrayOutputStream() {
            private boolean failed;

            @Override
            public void flush() throws IOException {
                if (!failed) {
                    failed = true;
                    throw new IOException("flush");
                }
            }
        });
        out.write(1);
        assertThrows(IOException.class, out::flush);
        IOException e = assertThrows(IOException.class, out::finish);
        assertEquals("an earlier write failed", e.getMessage());
    }

    @Test
    void keysComeFromCredentialProviders() throws IOException {
        Configuration conf = Support.configuration();
        byte[] file = seal(conf, "text");
        Configuration other = new Configuration(conf);
        other.unset(AgeProperties.IDENTITIES);
        other.set(CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH, "jceks://file" + folder.resolve("keys.jceks"));
        assertThrows(IOException.class, () -> open(other, file));
        CredentialProvider provider = CredentialProviderFactory.getProviders(other).get(0);
        provider.createCredentialEntry(
                AgeProperties.IDENTITIES, conf.get(AgeProperties.IDENTITIES).toCharArray());
        provider.flush();
        assertEquals("text", open(other, file));
    }

    @Test
    void passphrasesAndPartsOpenFiles() throws IOException {
        Configuration conf = new Configuration(false);
        conf.set(AgeProperties.PASSPHRASE, "passphrase");
        conf.setInt(AgeProperties.WORK_FACTOR, 4);
        assertEquals("text", open(conf, seal(conf, "text")));
        conf.setInt(AgeProperties.MAX_WORK_FACTOR, 3);
        assertThrows(IOException.class, () -> open(conf, seal(conf, "text")));

        AgeKeyPair one = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgeKeyPair two = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        Configuration together = new Configuration(false);
        together.set(AgeProperties.RECIPIENTS, one.recipient() + "," + two.recipient());
        together.setInt(AgeProperties.REQUIRED, 2);
        together.set(AgeProperties.LABEL, "plans");
        byte[] file = seal(together, "text");
        together.set(AgeProperties.IDENTITIES, one.identity());
        assertThrows(IOException.class, () -> open(together, file));
        try (AgeIdentities identities = AgeIdentities.of(two.identity())) {
            AgePart part = identities.contribute(file).get(0);
            assertEquals("plans", part.label());
            together.set(AgeProperties.PARTS, part.text());
        }
        assertEquals("text", open(together, file));
    }

    @Test
    void emptyPropertiesAreNotSet() throws IOException {
        Configuration conf = new Configuration(false);
        conf.set(AgeProperties.PASSPHRASE, "");
        conf.setInt(AgeProperties.WORK_FACTOR, 4);
        IOException e = assertThrows(IOException.class, () -> seal(conf, "text"));
        assertEquals("nobody could read the file: set " + AgeProperties.RECIPIENTS, e.getMessage());

        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        conf.set(AgeProperties.RECIPIENTS, pair.recipient());
        byte[] file = seal(conf, "text");
        conf.set(AgeProperties.IDENTITIES, "");
        conf.set(AgeProperties.PARTS, "");
        e = assertThrows(IOException.class, () -> open(conf, file));
        assertEquals("there are no keys to open files with: set " + AgeProperties.IDENTITIES, e.getMessage());
        conf.set(AgeProperties.IDENTITIES, pair.identity());
        assertEquals("text", open(conf, file));
    }

    @Test
    void spacesAroundKeysAreSkipped() throws IOException {
        Configuration conf = Support.configuration();
        AgeKeyPair two = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgeKeyPair three = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        String recipients = "\n    # the team\n    " + conf.get(AgeProperties.RECIPIENTS) + ", " + two.recipient()
                + " ,\r\n\t" + three.recipient() + "\n  ";
        conf.set(AgeProperties.RECIPIENTS, recipients);
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "footer", recipients);
        byte[] file = seal(conf, "text");
        AgeKmsClient client = new AgeKmsClient();
        client.initialize(conf, "default", "default", "default");
        String wrapped = client.wrapKey(new byte[16], "footer");
        for (AgeKeyPair pair : List.of(two, three)) {
            Configuration other = new Configuration(conf);
            other.set(AgeProperties.IDENTITIES, "\n    # mine\n\t" + pair.identity() + "\n  ");
            assertEquals("text", open(other, file));
            AgeKmsClient holder = new AgeKmsClient();
            holder.initialize(other, "default", "default", "default");
            assertArrayEquals(new byte[16], holder.unwrapKey(wrapped, "footer"));
        }
        conf.set(AgeProperties.RECIPIENTS, " , \n");
        assertThrows(IOException.class, () -> seal(conf, "text"));
    }

    @Test
    void recipientsInCommentsGetNoKeys() throws IOException {
        Configuration conf = Support.configuration();
        String own = conf.get(AgeProperties.RECIPIENTS);
        AgeKeyPair two = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgeKeyPair three = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        String comment = "# " + two.recipient() + ", " + three.recipient();
        for (String recipients : List.of(own + "\n" + comment, own + "\n  " + comment, own + ", " + comment)) {
            conf.set(AgeProperties.RECIPIENTS, recipients);
            byte[] file = seal(conf, "text");
            assertEquals("text", open(conf, file));
            for (AgeKeyPair pair : List.of(two, three)) {
                Configuration other = new Configuration(conf);
                other.set(AgeProperties.IDENTITIES, pair.identity());
                AgeException e = assertThrows(AgeException.class, () -> open(other, file));
                assertEquals(AgeException.Reason.NO_MATCH, e.reason());
            }
        }
        conf.set(AgeProperties.RECIPIENTS, comment);
        assertThrows(IOException.class, () -> seal(conf, "text"));
    }

    /** Keys are kept for the same secrets only. */
    @Test
    void secretsThatDifferInOneLetterGetNoKeptKeys() throws IOException {
        Configuration conf = new Configuration(false);
        conf.setInt(AgeProperties.WORK_FACTOR, 4);
        conf.set(AgeProperties.PASSPHRASE, "p\u00e4ssphrase");
        byte[] file = seal(conf, "text");
        assertEquals("text", open(conf, file));
        conf.set(AgeProperties.PASSPHRASE, "p\u01e4ssphrase");
        assertThrows(AgeException.class, () -> open(conf, file));
    }

    @Test
    void theKeysOfThousandFilesAreKept() throws IOException {
        Configuration conf = Support.configuration();
        List<byte[]> preambles = new ArrayList<>();
        for (int i = 0; i < 1001; i++) {
            byte[] file = seal(conf, "");
            preambles.add(Arrays.copyOf(file, AgeKey.preambleLength(file, file.length)));
        }
        for (byte[] preamble : preambles) {
            Keys.key(conf, preamble);
        }
        int before = Keys.unwrapped();
        Keys.key(conf, preambles.get(1));
        Keys.key(conf, preambles.get(1000));
        assertEquals(before, Keys.unwrapped());
        // The key of the first file was dropped.
        Keys.key(conf, preambles.get(0));
        assertEquals(before + 1, Keys.unwrapped());
    }
}
