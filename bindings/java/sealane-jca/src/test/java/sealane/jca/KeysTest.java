package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.InvalidParameterException;
import java.security.spec.InvalidParameterSpecException;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Keys, key generators and parameters. */
class KeysTest {
    private static KeyGenerator generator() throws Exception {
        return KeyGenerator.getInstance("ChaCha20", Support.SEALANE);
    }

    @Test
    void keysAreRandomAndCanBeDestroyed() throws Exception {
        SecretKey key = generator().generateKey();
        assertEquals("ChaCha20", key.getAlgorithm());
        assertEquals("RAW", key.getFormat());
        assertEquals(32, key.getEncoded().length);
        assertNotEquals(key, generator().generateKey());
        SecretKeySpec same = new SecretKeySpec(key.getEncoded(), "ChaCha20");
        assertEquals(key, same);
        assertEquals(same, key);
        assertEquals(same.hashCode(), key.hashCode());
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        new ObjectOutputStream(stored).writeObject(key);
        assertEquals(key, new ObjectInputStream(new ByteArrayInputStream(stored.toByteArray())).readObject());

        Cipher cipher = Support.cipher("ChaCha20-Poly1305");
        cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[12]));
        byte[] expected = cipher.doFinal(new byte[100]);
        cipher.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(new byte[12]));
        key.destroy();
        assertTrue(key.isDestroyed());
        assertThrows(IllegalStateException.class, key::getEncoded);
        assertFalse(key.equals(same));
        // A key stays in its place in a hash table.
        assertEquals(same.hashCode(), key.hashCode());
        // A cipher has its own copy.
        assertArrayEquals(new byte[100], cipher.doFinal(expected));
        assertThrows(
                InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(new byte[12])));
    }

    @Test
    void keysHave256Bits() throws Exception {
        generator().init(256);
        assertThrows(InvalidParameterException.class, () -> generator().init(128));
        assertThrows(
                InvalidAlgorithmParameterException.class, () -> generator().init(new IvParameterSpec(new byte[12])));
    }

    @Test
    void parameters() throws Exception {
        for (int len : new int[] {12, 24}) {
            String name = len == 12 ? "ChaCha20-Poly1305" : "XChaCha20-Poly1305";
            byte[] nonce = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f1011121314151617".substring(0, 2 * len));
            AlgorithmParameters parameters = AlgorithmParameters.getInstance(name, Support.SEALANE);
            parameters.init(new IvParameterSpec(nonce));
            byte[] encoded = Support.concat(new byte[] {4, (byte) len}, nonce);
            assertArrayEquals(encoded, parameters.getEncoded());
            assertArrayEquals(encoded, parameters.getEncoded("ASN.1"));
            assertThrows(IOException.class, () -> parameters.getEncoded("XML"));
            assertArrayEquals(nonce, parameters.getParameterSpec(IvParameterSpec.class).getIV());
            assertThrows(
                    InvalidParameterSpecException.class, () -> parameters.getParameterSpec(PBEParameterSpec.class));
            AlgorithmParameters decoded = AlgorithmParameters.getInstance(name, Support.SEALANE);
            decoded.init(encoded);
            assertArrayEquals(nonce, decoded.getParameterSpec(IvParameterSpec.class).getIV());
            AlgorithmParameters wrong = AlgorithmParameters.getInstance(name, Support.SEALANE);
            assertThrows(IOException.class, () -> wrong.init(nonce));
            assertThrows(IOException.class, () -> wrong.init(new byte[] {4, 1, 0}));
            assertThrows(IOException.class, () -> wrong.init(encoded, "XML"));
            assertThrows(
                    InvalidParameterSpecException.class, () -> wrong.init(new IvParameterSpec(new byte[len + 1])));
        }
        // The JDK's parameters and ours are interchangeable.
        AlgorithmParameters theirs = AlgorithmParameters.getInstance("ChaCha20-Poly1305", "SunJCE");
        theirs.init(new IvParameterSpec(new byte[12]));
        Cipher cipher = Support.cipher("ChaCha20-Poly1305");
        cipher.init(Cipher.DECRYPT_MODE, Support.key(new byte[32]), theirs);
        assertArrayEquals(theirs.getEncoded(), cipher.getParameters().getEncoded());
        Cipher extended = Support.cipher("XChaCha20-Poly1305");
        assertThrows(
                InvalidAlgorithmParameterException.class,
                () -> extended.init(Cipher.DECRYPT_MODE, Support.key(new byte[32]), theirs));
    }
}
