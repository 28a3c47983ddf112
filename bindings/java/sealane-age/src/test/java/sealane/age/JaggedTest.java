package sealane.age;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.exceptionfactory.jagged.framework.armor.ArmoredDecryptingChannelFactory;
import com.exceptionfactory.jagged.framework.armor.ArmoredEncryptingChannelFactory;
import com.exceptionfactory.jagged.framework.stream.StandardDecryptingChannelFactory;
import com.exceptionfactory.jagged.framework.stream.StandardEncryptingChannelFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaReaderFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaWriterFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sealane.jca.SealaneProvider;

/**
 * Exchanges files with Jagged, an implementation of age in Java, which runs on Sealane's provider.
 */
class JaggedTest {
    @BeforeAll
    static void sealaneIsFirst() throws GeneralSecurityException {
        Security.insertProviderAt(new SealaneProvider(), 1);
        assertEquals("Sealane", Cipher.getInstance("ChaCha20-Poly1305").getProvider().getName());
    }

    @AfterAll
    static void sealaneIsGone() {
        Security.removeProvider("Sealane");
    }

    private static byte[] jaggedSeals(String recipient, byte[] text, boolean armored)
            throws IOException, GeneralSecurityException {
        var factory = armored ? new ArmoredEncryptingChannelFactory() : new StandardEncryptingChannelFactory();
        var writer = X25519RecipientStanzaWriterFactory.newRecipientStanzaWriter(recipient);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (WritableByteChannel out = factory.newEncryptingChannel(Channels.newChannel(file), List.of(writer))) {
            ByteBuffer rest = ByteBuffer.wrap(text);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
        }
        return file.toByteArray();
    }

    private static byte[] jaggedOpens(String identity, byte[] file, boolean armored)
            throws IOException, GeneralSecurityException {
        var factory = armored ? new ArmoredDecryptingChannelFactory() : new StandardDecryptingChannelFactory();
        var reader = X25519RecipientStanzaReaderFactory.newRecipientStanzaReader(identity);
        ReadableByteChannel in = Channels.newChannel(new ByteArrayInputStream(file));
        try (ReadableByteChannel plaintext = factory.newDecryptingChannel(in, List.of(reader))) {
            return Channels.newInputStream(plaintext).readAllBytes();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, false", "65535, true", "65536, false", "65537, true", "300000, false", "300000, true"})
    void filesAreExchanged(int length, boolean armored) throws Exception {
        byte[] text = new byte[length];
        new Random(length).nextBytes(text);
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);

        byte[] theirs = jaggedSeals(pair.recipient(), text, armored);
        try (AgeIdentities identities = AgeIdentities.of(pair.identity());
                AgeInputStream in = new AgeInputStream(new ByteArrayInputStream(theirs), identities)) {
            assertArrayEquals(text, in.readAllBytes());
        }

        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient());
                AgeOutputStream out = new AgeOutputStream(file, recipients, armored)) {
            out.write(text);
        }
        byte[] ours = file.toByteArray();
        assertArrayEquals(text, jaggedOpens(pair.identity(), ours, armored));
        if (!armored) {
            ours[ours.length - 1] ^= 1;
            assertThrows(Exception.class, () -> jaggedOpens(pair.identity(), ours, false));
        }
    }
}
