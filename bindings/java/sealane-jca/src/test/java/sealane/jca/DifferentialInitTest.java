package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.Key;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Initialization gives the same results and exceptions as with SunJCE, for ciphers, generators of
 * keys and parameters. There are two differences: a key that is null gives an InvalidKeyException,
 * and lengths that DER does not allow are refused.
 */
class DifferentialInitTest {
    private static final Provider SUN_JCE = Security.getProvider("SunJCE");

    /** A call on an object of one provider. */
    private interface Call<T> {
        Object on(T object) throws Exception;
    }

    /** Returns the result of a call as text: bytes, or the class of the exception. */
    private static <T> String result(T object, Call<T> call) {
        try {
            Object result = call.on(object);
            return result instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(result);
        } catch (IOException e) {
            return "IOException";
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    private static Map<String, Key> keys() {
        Map<String, Key> keys = new LinkedHashMap<>();
        keys.put("key", Support.key(new byte[32]));
        keys.put("no key", null);
        for (int length : new int[] {1, 31, 33}) {
            keys.put("key of " + length, Support.key(new byte[length]));
        }
        keys.put("key for another algorithm", new SecretKeySpec(new byte[32], "AES"));
        keys.put("key without bytes", new Opaque("RAW", null));
        keys.put("key in another format", new Opaque("X.509", new byte[32]));
        return keys;
    }

    /** A key that gives this format and these bytes. */
    private record Opaque(String format, byte[] bytes) implements SecretKey {
        @Override
        public String getAlgorithm() {
            return "ChaCha20";
        }

        @Override
        public String getFormat() {
            return format;
        }

        @Override
        public byte[] getEncoded() {
            return bytes;
        }
    }

    private static AlgorithmParameters parameters(String name, AlgorithmParameterSpec spec) throws Exception {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance(name, SUN_JCE);
        if (spec != null) {
            parameters.init(spec);
        }
        return parameters;
    }

    /** The ways to call {@code init}. */
    private interface Init {
        void on(Cipher cipher, int mode, Key key) throws Exception;
    }

    private static Map<String, Init> inits() throws Exception {
        Map<String, Init> inits = new LinkedHashMap<>();
        inits.put("nothing", (cipher, mode, key) -> cipher.init(mode, key));
        inits.put("no generator", (cipher, mode, key) -> cipher.init(mode, key, (SecureRandom) null));
        Map<String, AlgorithmParameterSpec> specs = new LinkedHashMap<>();
        specs.put("null", null);
        for (int length : new int[] {0, 8, 12, 13, 24}) {
            specs.put("nonce of " + length, new IvParameterSpec(new byte[length]));
        }
        specs.put("nonce and counter", new ChaCha20ParameterSpec(new byte[12], 1));
        specs.put("GCM", new GCMParameterSpec(128, new byte[12]));
        specs.put("unknown", new AlgorithmParameterSpec() {});
        specs.forEach((name, spec) -> inits.put("spec " + name, (cipher, mode, key) -> cipher.init(mode, key, spec)));
        Map<String, AlgorithmParameters> parameters = new LinkedHashMap<>();
        parameters.put("null", null);
        parameters.put("nonce", parameters("ChaCha20-Poly1305", new IvParameterSpec(new byte[12])));
        parameters.put("GCM", parameters("GCM", new GCMParameterSpec(128, new byte[12])));
        parameters.put("AES", parameters("AES", new IvParameterSpec(new byte[16])));
        parameters.forEach((name, given) ->
                inits.put("parameters " + name, (cipher, mode, key) -> cipher.init(mode, key, given)));
        return inits;
    }

    @ParameterizedTest
    @ValueSource(strings = {"ChaCha20-Poly1305", "ChaCha20"})
    void ciphers(String name) throws Exception {
        Map<String, Integer> outcomes = new TreeMap<>();
        Map<String, String> differences = new LinkedHashMap<>();
        int[] modes = {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE, Cipher.WRAP_MODE, Cipher.UNWRAP_MODE, 0, 5};
        for (Map.Entry<String, Init> init : inits().entrySet()) {
            for (Map.Entry<String, Key> key : keys().entrySet()) {
                for (int mode : modes) {
                    // Before Java 21, SunJCE does not decrypt again without a new initialization.
                    boolean mayContinue = mode != Cipher.DECRYPT_MODE || Runtime.version().feature() >= 21;
                    Call<Cipher> call = cipher -> {
                        init.getValue().on(cipher, mode, key.getValue());
                        // Nonces that nobody gave are random.
                        return cipher.getIV().length + " " + result(cipher, c -> c.update(new byte[3]).length) + " "
                                + result(cipher, c -> c.doFinal().length) + " "
                                + (mayContinue ? result(cipher, Cipher::doFinal) : "");
                    };
                    String expected = result(Cipher.getInstance(name, SUN_JCE), call);
                    if (key.getValue() == null && expected.equals("NullPointerException")) {
                        // SunJCE's other ciphers throw this exception.
                        expected = "InvalidKeyException";
                    }
                    String actual = result(Support.cipher(name), call);
                    outcomes.merge(expected, 1, Integer::sum);
                    if (!expected.equals(actual)) {
                        differences.put(
                                "mode " + mode + ", " + key.getKey() + ", " + init.getKey(), expected + " | " + actual);
                    }
                }
            }
        }
        for (String exception : new String[] {
            "InvalidKeyException", "InvalidAlgorithmParameterException", "UnsupportedOperationException",
            "InvalidParameterException"
        }) {
            assertTrue(outcomes.getOrDefault(exception, 0) > 5, outcomes::toString);
        }
        assertEquals(Map.of(), differences);
    }

    @Test
    void generatorsOfKeys() throws Exception {
        Map<String, Call<KeyGenerator>> calls = new LinkedHashMap<>();
        calls.put("nothing", generator -> null);
        for (int size : new int[] {-1, 0, 128, 255, 256, 257, 512}) {
            calls.put("size " + size, generator -> {
                generator.init(size);
                return null;
            });
            calls.put("size " + size + ", no generator of random numbers", generator -> {
                generator.init(size, null);
                return null;
            });
        }
        calls.put("no generator of random numbers", generator -> {
            generator.init((SecureRandom) null);
            return null;
        });
        Map<String, AlgorithmParameterSpec> specs = new LinkedHashMap<>();
        specs.put("no parameters", null);
        specs.put("nonce", new IvParameterSpec(new byte[12]));
        specs.put("nonce and counter", new ChaCha20ParameterSpec(new byte[12], 1));
        specs.forEach((name, spec) -> calls.put(name, generator -> {
            generator.init(spec);
            return null;
        }));
        Map<String, String> differences = new LinkedHashMap<>();
        calls.forEach((name, call) -> {
            Call<KeyGenerator> all = generator -> {
                String initialized = result(generator, call);
                SecretKey key = generator.generateKey();
                return initialized + " " + key.getAlgorithm() + " " + key.getFormat() + " " + key.getEncoded().length;
            };
            try {
                String expected = result(KeyGenerator.getInstance("ChaCha20", SUN_JCE), all);
                String actual = result(KeyGenerator.getInstance("ChaCha20", Support.SEALANE), all);
                if (!expected.equals(actual)) {
                    differences.put(name, expected + " | " + actual);
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertEquals(Map.of(), differences);
    }

    @Test
    void parametersOfCiphers() throws Exception {
        Map<String, Call<AlgorithmParameters>> inits = new LinkedHashMap<>();
        inits.put("nothing", parameters -> null);
        Map<String, AlgorithmParameterSpec> specs = new LinkedHashMap<>();
        specs.put("null", null);
        for (int length : new int[] {0, 8, 12, 13}) {
            specs.put("nonce of " + length, new IvParameterSpec(new byte[length]));
        }
        specs.put("nonce and counter", new ChaCha20ParameterSpec(new byte[12], 1));
        specs.put("GCM", new GCMParameterSpec(128, new byte[12]));
        specs.forEach((name, spec) -> inits.put("spec " + name, parameters -> {
            parameters.init(spec);
            return null;
        }));
        String[] encodings = {
            "040c000102030405060708090a0b", "", "04", "040c", "0400", "040800010203040506ff", "040d000102030405060708090a0b0c",
            "030c000102030405060708090a0b", "040c000102030405060708090a0b00", "24020400"
        };
        for (String encoding : encodings) {
            byte[] encoded = HexFormat.of().parseHex(encoding);
            inits.put("encoding " + encoding, parameters -> {
                parameters.init(encoded);
                return null;
            });
            for (String format : new String[] {null, "ASN.1", "asn.1", "X"}) {
                inits.put("encoding " + encoding + " in " + format, parameters -> {
                    parameters.init(encoded, format);
                    return null;
                });
            }
        }
        inits.put("no encoding", parameters -> {
            parameters.init((byte[]) null);
            return null;
        });
        Map<String, Call<AlgorithmParameters>> gets = new LinkedHashMap<>();
        gets.put("encoding", AlgorithmParameters::getEncoded);
        for (String format : new String[] {null, "ASN.1", "asn.1", "X"}) {
            gets.put("encoding in " + format, parameters -> parameters.getEncoded(format));
        }
        gets.put("nonce", parameters -> parameters.getParameterSpec(IvParameterSpec.class).getIV());
        gets.put("any spec", parameters -> parameters.getParameterSpec(AlgorithmParameterSpec.class).getClass());
        gets.put("GCM", parameters -> parameters.getParameterSpec(GCMParameterSpec.class).getIV());
        gets.put("null", parameters -> parameters.getParameterSpec(null));
        gets.put("again", parameters -> {
            parameters.init(new IvParameterSpec(new byte[12]));
            return null;
        });
        gets.put("text", parameters -> parameters.toString() == null);

        Map<String, String> differences = new LinkedHashMap<>();
        for (Map.Entry<String, Call<AlgorithmParameters>> init : inits.entrySet()) {
            AlgorithmParameters theirs = AlgorithmParameters.getInstance("ChaCha20-Poly1305", SUN_JCE);
            AlgorithmParameters ours = AlgorithmParameters.getInstance("ChaCha20-Poly1305", Support.SEALANE);
            String expected = result(theirs, init.getValue());
            String actual = result(ours, init.getValue());
            if (!expected.equals(actual)) {
                differences.put(init.getKey(), expected + " | " + actual);
            }
            gets.forEach((name, get) -> {
                String theirResult = result(theirs, get);
                String ourResult = result(ours, get);
                if (!theirResult.equals(ourResult)) {
                    differences.put(init.getKey() + ", " + name, theirResult + " | " + ourResult);
                }
            });
        }
        assertEquals(Map.of(), differences);
        // A length in a longer form than necessary, which SunJCE accepts.
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("ChaCha20-Poly1305", Support.SEALANE);
        byte[] encoded = HexFormat.of().parseHex("04810c000102030405060708090a0b");
        assertThrows(IOException.class, () -> parameters.init(encoded));
    }
}
