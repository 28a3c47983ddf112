package sealane.hadoop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.KeyAccessDeniedException;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.crypto.keytools.KmsClient;
import sealane.age.AgeException;
import sealane.age.AgeIdentities;
import sealane.age.AgeInputStream;
import sealane.age.AgeOutputStream;
import sealane.age.AgeRecipients;

/**
 * Wraps the keys of Parquet's own encryption as age files, without a server. To use it, set the
 * property {@code parquet.encryption.kms.client.class} to the name of this class, and {@code
 * parquet.crypto.factory.class} to that of {@link AgeCryptoFactory}.
 *
 * <p>A master key is a name, and the property {@code sealane.age.kms.recipients.NAME} has its
 * recipients. A name that is itself a recipient ({@code age1…}) needs no property. Keys are
 * unwrapped with the identities, the passphrase and the parts of {@link AgeProperties}.
 */
public final class AgeKmsClient implements KmsClient {
    private Configuration conf = new Configuration();

    /** Creates a client. Parquet initializes it. */
    public AgeKmsClient() {}

    @Override
    public void initialize(
            Configuration configuration, String kmsInstanceID, String kmsInstanceURL, String accessToken) {
        conf = configuration;
    }

    private AgeRecipients recipients(String masterKey) throws IOException {
        String lines = Keys.recipientLines(conf, AgeProperties.MASTER_KEY_RECIPIENTS + masterKey);
        if (lines.isBlank() && masterKey.startsWith("age1")) {
            lines = masterKey;
        }
        if (lines.isBlank()) {
            throw new KeyAccessDeniedException("the master key \"" + masterKey + "\" has no recipients: set "
                    + AgeProperties.MASTER_KEY_RECIPIENTS + masterKey);
        }
        AgeRecipients.Builder builder = new AgeRecipients.Builder().add(lines);
        Keys.require(conf, builder);
        return builder.build();
    }

    /**
     * Returns the prefix that is wrapped along with each key, so that a key cannot be passed off as
     * wrapped by another master key. Whoever writes a Parquet file chooses the name in it. A name
     * with the character that ends the prefix could reach into the key, and tell how it begins. The
     * encoder would replace half of a surrogate pair by a question mark, so that two names could
     * have the same prefix.
     */
    private static byte[] label(String masterKey) {
        if (masterKey.indexOf('\0') >= 0) {
            throw new ParquetCryptoRuntimeException("the name of a master key has a NUL character");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(masterKey)) {
            throw new ParquetCryptoRuntimeException("the name of a master key has half of a surrogate pair");
        }
        return (masterKey + "\0").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String wrapKey(byte[] keyBytes, String masterKeyIdentifier) throws KeyAccessDeniedException {
        ByteArrayOutputStream wrapped = new ByteArrayOutputStream();
        try (AgeRecipients recipients = recipients(masterKeyIdentifier);
                AgeOutputStream age = new AgeOutputStream(wrapped, recipients)) {
            age.write(label(masterKeyIdentifier));
            age.write(keyBytes);
        } catch (IOException e) {
            throw new ParquetCryptoRuntimeException("cannot wrap a key: " + e.getMessage(), e);
        }
        return Base64.getEncoder().encodeToString(wrapped.toByteArray());
    }

    @Override
    public byte[] unwrapKey(String wrappedKey, String masterKeyIdentifier) throws KeyAccessDeniedException {
        byte[] label = label(masterKeyIdentifier);
        byte[] plaintext = {};
        try (AgeIdentities identities = Keys.identities(conf)) {
            byte[] wrapped = Base64.getDecoder().decode(wrappedKey);
            // Reads to the end, because the plaintext is shorter than the file. readAllBytes would
            // leave copies of the key.
            plaintext = new byte[wrapped.length];
            int length;
            try (AgeInputStream age = new AgeInputStream(new ByteArrayInputStream(wrapped), identities)) {
                length = age.readNBytes(plaintext, 0, plaintext.length);
            }
            if (length < label.length || !Arrays.equals(plaintext, 0, label.length, label, 0, label.length)) {
                throw new ParquetCryptoRuntimeException("the key is wrapped for another master key");
            }
            return Arrays.copyOfRange(plaintext, label.length, length);
        } catch (AgeException e) {
            if (e.reason() == AgeException.Reason.NO_MATCH || e.reason() == AgeException.Reason.TOO_FEW_SHARES) {
                throw new KeyAccessDeniedException("cannot unwrap a key: " + e.getMessage(), e);
            }
            throw new ParquetCryptoRuntimeException("cannot unwrap a key: " + e.getMessage(), e);
        } catch (IOException | IllegalArgumentException e) {
            throw new ParquetCryptoRuntimeException("cannot unwrap a key: " + e.getMessage(), e);
        } finally {
            Arrays.fill(plaintext, (byte) 0);
        }
    }
}
