package sealane.hadoop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.crypto.FileDecryptionProperties;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.crypto.keytools.KeyToolkit;
import org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory;
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext;

/**
 * Parquet's own factory, for keys that {@link AgeKmsClient} wraps. To use it, set the property
 * {@code parquet.crypto.factory.class} to the name of this class.
 *
 * <p>Parquet keeps clients and keys of the whole process, by access token. With its own factory, a
 * session without identities would get the keys of another session that has the same token. This
 * class gives a different token to each set of secrets and other properties of Sealane.
 */
public final class AgeCryptoFactory extends PropertiesDrivenCryptoFactory {
    /** Creates a factory. Parquet calls it. */
    public AgeCryptoFactory() {}

    @Override
    public FileEncryptionProperties getFileEncryptionProperties(Configuration conf, Path file, WriteContext context) {
        return super.getFileEncryptionProperties(withToken(conf), file, context);
    }

    @Override
    public FileDecryptionProperties getFileDecryptionProperties(Configuration conf, Path file) {
        return super.getFileDecryptionProperties(withToken(conf), file);
    }

    private static Configuration withToken(Configuration conf) {
        Configuration copy = new Configuration(conf);
        copy.set(KeyToolkit.KEY_ACCESS_TOKEN_PROPERTY_NAME, token(conf));
        return copy;
    }

    private static String token(Configuration conf) {
        try {
            MessageDigest digest = Keys.digest(conf);
            Map<String, String> properties = new TreeMap<>(conf.getPropsWithPrefix(AgeProperties.PREFIX));
            // The digest has the secrets already. Their bytes would be further copies of them.
            for (String secret : Keys.OPENING) {
                properties.remove(secret.substring(AgeProperties.PREFIX.length()));
            }
            properties.put("", conf.get(KeyToolkit.KEY_ACCESS_TOKEN_PROPERTY_NAME, ""));
            properties.forEach((name, value) -> {
                update(digest, name);
                update(digest, value);
            });
            return HexFormat.of().formatHex(Keys.finish(digest, new byte[0]));
        } catch (IOException e) {
            throw new ParquetCryptoRuntimeException("cannot read the keys: " + e.getMessage(), e);
        }
    }

    /** A byte that UTF-8 does not have separates the fields. */
    private static void update(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0xff);
    }
}
