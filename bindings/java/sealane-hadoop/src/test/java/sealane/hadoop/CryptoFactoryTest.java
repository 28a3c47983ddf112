package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.crypto.DecryptionPropertiesFactory;
import org.apache.parquet.crypto.EncryptionPropertiesFactory;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.crypto.KeyAccessDeniedException;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import sealane.age.AgeKeyPair;

/** Sessions of one process, whose clients and keys Parquet keeps. */
class CryptoFactoryTest {
    private static final Path FILE = new Path("file:///nowhere/file.parquet");

    private static Configuration configuration() {
        Configuration conf = Support.configuration();
        conf.set(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME, AgeCryptoFactory.class.getName());
        conf.set("parquet.encryption.kms.client.class", AgeKmsClient.class.getName());
        conf.set("parquet.encryption.uniform.key", "table");
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "table", conf.get(AgeProperties.RECIPIENTS));
        return conf;
    }

    private static FileEncryptionProperties write(Configuration conf) {
        WriteContext context = new WriteContext(MessageTypeParser.parseMessageType("message m { required int64 a; }"), Map.of());
        return EncryptionPropertiesFactory.loadFactory(conf).getFileEncryptionProperties(conf, FILE, context);
    }

    private static byte[] read(Configuration conf, FileEncryptionProperties file) {
        return DecryptionPropertiesFactory.loadFactory(conf)
                .getFileDecryptionProperties(conf, FILE)
                .getKeyRetriever()
                .getKey(file.getFooterKeyMetadata());
    }

    @Test
    void aSessionGetsNoKeysOfAnother() throws IOException {
        Configuration conf = configuration();
        FileEncryptionProperties file = write(conf);
        assertArrayEquals(file.getFooterKey(), read(conf, file));
        Configuration without = configuration();
        without.unset(AgeProperties.IDENTITIES);
        assertThrows(ParquetCryptoRuntimeException.class, () -> read(without, file));
        Configuration others = configuration();
        others.set(AgeProperties.IDENTITIES, AgeKeyPair.generate(AgeKeyPair.Kind.X25519).identity());
        assertThrows(KeyAccessDeniedException.class, () -> read(others, file));
        assertArrayEquals(file.getFooterKey(), read(conf, file));
        assertEquals(null, conf.get("parquet.encryption.key.access.token"));
    }

    @Test
    void changedRecipientsCountAtOnce() throws IOException {
        Configuration conf = configuration();
        write(conf);
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "table", pair.recipient());
        FileEncryptionProperties file = write(conf);
        assertThrows(KeyAccessDeniedException.class, () -> read(conf, file));
        conf.set(AgeProperties.IDENTITIES, pair.identity());
        assertArrayEquals(file.getFooterKey(), read(conf, file));
    }
}
