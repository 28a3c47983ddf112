package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static sealane.hadoop.Support.open;
import static sealane.hadoop.Support.seal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.KeyAccessDeniedException;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.junit.jupiter.api.Test;
import sealane.age.AgeIdentities;
import sealane.age.AgeKeyPair;

/** Parquet's keys, which other keys wrap. */
class KmsClientTest {
    /** Returns a client with this configuration. */
    private static AgeKmsClient client(Configuration conf) {
        AgeKmsClient client = new AgeKmsClient();
        client.initialize(conf, "default", "default", "default");
        return client;
    }

    @Test
    void parquetsKeysAreWrapped() throws IOException {
        Configuration conf = Support.configuration();
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "footer", conf.get(AgeProperties.RECIPIENTS));
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "column", conf.get(AgeProperties.RECIPIENTS));
        AgeKmsClient client = client(conf);
        byte[] key = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0};
        String wrapped = client.wrapKey(key, "footer");
        assertArrayEquals(key, client.unwrapKey(wrapped, "footer"));
        String own = conf.get(AgeProperties.RECIPIENTS);
        assertArrayEquals(key, client.unwrapKey(client.wrapKey(key, own), own));
        assertThrows(ParquetCryptoRuntimeException.class, () -> client.unwrapKey(wrapped, "column"));
        assertThrows(KeyAccessDeniedException.class, () -> client.wrapKey(key, "nobody"));
        byte[] changed = Base64.getDecoder().decode(wrapped);
        changed[changed.length - 1] ^= 1;
        assertThrows(
                ParquetCryptoRuntimeException.class,
                () -> client.unwrapKey(Base64.getEncoder().encodeToString(changed), "footer"));
        Configuration others = new Configuration(conf);
        others.set(AgeProperties.IDENTITIES, AgeKeyPair.generate(AgeKeyPair.Kind.X25519).identity());
        AgeKmsClient stranger = client(others);
        assertThrows(KeyAccessDeniedException.class, () -> stranger.unwrapKey(wrapped, "footer"));
    }

    /** Whoever stores a Parquet file chooses the name of the master key in it. */
    @Test
    void aNameDoesNotReachIntoTheKey() throws IOException {
        Configuration conf = Support.configuration();
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "footer", conf.get(AgeProperties.RECIPIENTS));
        AgeKmsClient client = client(conf);
        byte[] key = {7, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
        String wrapped = client.wrapKey(key, "footer");
        // If this returned the rest of the key, it would tell the first byte.
        for (String name : List.of("footer\0\7", "footer\0", "foot", "footer2", "")) {
            assertThrows(ParquetCryptoRuntimeException.class, () -> client.unwrapKey(wrapped, name));
        }
        String own = conf.get(AgeProperties.RECIPIENTS);
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "a\0b", own);
        assertThrows(ParquetCryptoRuntimeException.class, () -> client.wrapKey(key, "a\0b"));
        assertArrayEquals(key, client.unwrapKey(wrapped, "footer"));
    }

    /** An encoder that replaces half of a surrogate pair makes one prefix of two names. */
    @Test
    void aNameWithHalfOfASurrogatePairIsRefused() throws IOException {
        Configuration conf = Support.configuration();
        byte[] key = new byte[16];
        for (String name : List.of("a?", "a\ud800", "a\udc00", "a\ud83d\ude00")) {
            conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + name, conf.get(AgeProperties.RECIPIENTS));
        }
        AgeKmsClient client = client(conf);
        String wrapped = client.wrapKey(key, "a?");
        for (String name : List.of("a\ud800", "a\udc00")) {
            assertThrows(ParquetCryptoRuntimeException.class, () -> client.unwrapKey(wrapped, name));
            assertThrows(ParquetCryptoRuntimeException.class, () -> client.wrapKey(key, name));
        }
        assertArrayEquals(key, client.unwrapKey(client.wrapKey(key, "a\ud83d\ude00"), "a\ud83d\ude00"));
    }

    /** Whoever stores files puts a wrapped key among those that a job reads, and the reverse. */
    @Test
    void aWrappedKeyIsReadAsAFileAndAFileIsNoWrappedKey() throws IOException {
        Configuration conf = Support.configuration();
        String own = conf.get(AgeProperties.RECIPIENTS);
        byte[] key = "sixteen letters!".getBytes(StandardCharsets.UTF_8);
        String wrapped = client(conf).wrapKey(key, own);
        assertEquals(own + "\0sixteen letters!", open(conf, Base64.getDecoder().decode(wrapped)));
        // Separate identities prevent it.
        AgeKeyPair other = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        String separate = client(conf).wrapKey(key, other.recipient());
        assertThrows(IOException.class, () -> open(conf, Base64.getDecoder().decode(separate)));

        String file = Base64.getEncoder().encodeToString(seal(conf, "id,amount\n1,5\n"));
        for (String name : List.of(own, "", "id", "id,amount\n1,5\n")) {
            assertThrows(ParquetCryptoRuntimeException.class, () -> client(conf).unwrapKey(file, name));
        }
    }

    @Test
    void anyoneWhoKnowsTheRecipientsWrapsAKey() throws IOException {
        Configuration conf = Support.configuration();
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "footer", conf.get(AgeProperties.RECIPIENTS));
        Configuration outsider = new Configuration(conf);
        outsider.unset(AgeProperties.IDENTITIES);
        String forged = client(outsider).wrapKey(new byte[16], "footer");
        assertArrayEquals(new byte[16], client(conf).unwrapKey(forged, "footer"));
        assertThrows(ParquetCryptoRuntimeException.class, () -> client(outsider).unwrapKey(forged, "footer"));
    }

    /** Whoever sets the properties of a table can name a master key of their own. */
    @Test
    void aNameThatIsARecipientGetsTheKey() throws IOException {
        AgeKeyPair attacker = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        byte[] key = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        String wrapped = client(Support.configuration()).wrapKey(key, attacker.recipient());
        Configuration theirs = new Configuration(false);
        theirs.set(AgeProperties.IDENTITIES, attacker.identity());
        assertArrayEquals(key, client(theirs).unwrapKey(wrapped, attacker.recipient()));
    }

    @Test
    void severalRecipientsUnwrapAKeyTogether() throws IOException {
        Configuration conf = Support.configuration();
        AgeKeyPair other = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        String own = conf.get(AgeProperties.RECIPIENTS);
        conf.set(AgeProperties.MASTER_KEY_RECIPIENTS + "footer", own + "," + other.recipient());
        conf.setInt(AgeProperties.REQUIRED, 2);
        String wrapped = client(conf).wrapKey(new byte[16], "footer");
        assertThrows(KeyAccessDeniedException.class, () -> client(conf).unwrapKey(wrapped, "footer"));
        assertThrows(ParquetCryptoRuntimeException.class, () -> client(conf).wrapKey(new byte[16], own));
        // A part opens one wrapped key.
        String second = client(conf).wrapKey(new byte[16], "footer");
        Configuration withPart = new Configuration(conf);
        try (AgeIdentities identities = AgeIdentities.of(other.identity())) {
            byte[] file = Base64.getDecoder().decode(wrapped);
            withPart.set(AgeProperties.PARTS, identities.contribute(file).get(0).text());
        }
        assertArrayEquals(new byte[16], client(withPart).unwrapKey(wrapped, "footer"));
        assertThrows(KeyAccessDeniedException.class, () -> client(withPart).unwrapKey(second, "footer"));
        conf.set(AgeProperties.IDENTITIES, conf.get(AgeProperties.IDENTITIES) + "\n" + other.identity());
        assertArrayEquals(new byte[16], client(conf).unwrapKey(wrapped, "footer"));
    }

    @Test
    void theWorkForAWrappedKeyIsLimited() throws IOException {
        Configuration conf = new Configuration(false);
        conf.set(AgeProperties.PASSPHRASE, "passphrase");
        conf.setInt(AgeProperties.WORK_FACTOR, 4);
        // A passphrase wraps no keys, but whoever stores a Parquet file can put such a file there.
        String wrapped = Base64.getEncoder().encodeToString(seal(conf, "footer\0sixteen letters!"));
        assertEquals(16, client(conf).unwrapKey(wrapped, "footer").length);
        conf.setInt(AgeProperties.MAX_WORK_FACTOR, 3);
        assertThrows(ParquetCryptoRuntimeException.class, () -> client(conf).unwrapKey(wrapped, "footer"));
    }
}
