package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sequences of calls give the same results, exceptions and states as with SunJCE.
 *
 * <p>Sequences avoid cases in which SunJCE violates the contract of {@link Cipher}: it uses up the
 * key and nonce when an array is too short, does not use them up when a message ends in a {@link
 * ByteBuffer}, and accepts associated data after a piece in a direct buffer. {@code StateTest}
 * tests these cases.
 */
class DifferentialTest {
    private static final int SEQUENCES = 1500;

    /** The number of sequences that differ from run to run. */
    private static final int FRESH_SEQUENCES = 500;

    /**
     * The seed of the first fresh sequence. {@code mvn -Dsealane.seed=SEED} repeats those of an
     * earlier run.
     */
    private static final long FRESH_SEED = Long.getLong("sealane.seed", new SecureRandom().nextLong() >>> 16);

    /** A call on one cipher, with its result as text. */
    private interface Call {
        byte[] on(Cipher cipher) throws GeneralSecurityException;
    }

    private final Map<String, Integer> outcomes = new HashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"ChaCha20-Poly1305", "ChaCha20"})
    void sequences(String name) throws Exception {
        for (int seed = 0; seed < SEQUENCES; seed++) {
            sequence(name, seed);
        }
        // Every kind of result occurred.
        assertTrue(outcomes.getOrDefault("bytes", 0) > SEQUENCES, outcomes::toString);
        for (String exception : new String[] {"IllegalStateException", "ShortBufferException", "InvalidKeyException"}) {
            assertTrue(outcomes.getOrDefault(exception, 0) > 20, outcomes::toString);
        }
        if (!name.equals("ChaCha20")) {
            assertTrue(outcomes.getOrDefault("AEADBadTagException", 0) > 20, outcomes::toString);
        }
        for (int i = 0; i < FRESH_SEQUENCES; i++) {
            sequence(name, FRESH_SEED + i);
        }
    }

    private void sequence(String name, long seed) throws Exception {
        Random random = new Random(seed);
        boolean aead = !name.equals("ChaCha20");
        Cipher ours = Support.cipher(name);
        Cipher theirs = Cipher.getInstance(name, "SunJCE");
        byte[] aad = Support.bytes(random, random.nextInt(41));
        byte[][] keys = {Support.bytes(random, 32), Support.bytes(random, 32)};
        boolean mustInit = false;
        boolean aadAllowed = true;
        int mode = Cipher.ENCRYPT_MODE;
        byte[] sealed = null;
        StringBuilder trace = new StringBuilder(name + ", -Dsealane.seed=" + seed + ":");
        for (int step = 0; step < 12; step++) {
            int choice = mustInit ? 0 : random.nextInt(10);
            if (choice <= 1) {
                mode = random.nextBoolean() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
                byte[] key = keys[random.nextInt(2)];
                // Before Java 21, SunJCE refuses to decrypt twice with the same nonce.
                boolean repeats = mode == Cipher.ENCRYPT_MODE || Runtime.version().feature() >= 21;
                byte[] nonce = repeats ? new byte[12] : Support.bytes(random, 12);
                nonce[0] = (byte) random.nextInt(3);
                if (mode == Cipher.DECRYPT_MODE && aead) {
                    sealed = seal(key, nonce, aad, Support.bytes(random, length(random)));
                }
                AlgorithmParameterSpec params =
                        aead ? new IvParameterSpec(nonce) : new ChaCha20ParameterSpec(nonce, counter(random));
                if (random.nextInt(30) == 0) {
                    params = new IvParameterSpec(new byte[8]);
                }
                AlgorithmParameterSpec used = params;
                int usedMode = mode;
                mustInit = !same(trace, "init " + mode, ours, theirs, cipher -> {
                    cipher.init(usedMode, new SecretKeySpec(key, "ChaCha20"), used);
                    return cipher.getIV();
                });
                aadAllowed = true;
                continue;
            }
            byte[] in = mode == Cipher.DECRYPT_MODE && aead && sealed != null && random.nextInt(3) > 0
                    ? sealed : Support.bytes(random, length(random));
            int room = Math.max(0, in.length + random.nextInt(40) - 8);
            switch (choice) {
                case 2, 3 -> {
                    if (aadAllowed) {
                        same(trace, "updateAAD " + aad.length, ours, theirs, cipher -> {
                            cipher.updateAAD(aad);
                            return new byte[0];
                        });
                    }
                }
                case 4 -> same(trace, "update " + in.length, ours, theirs, cipher -> cipher.update(in));
                case 5 -> {
                    byte[] out = random.nextInt(8) == 0 ? null : new byte[room];
                    int offset = random.nextInt(8) == 0 ? room + 1 : 0;
                    String what = "update to " + (out == null ? "null" : room) + " from " + offset;
                    mustInit = !same(trace, what, ours, theirs, cipher -> {
                        int len = cipher.update(in, 0, in.length, out, offset);
                        return len == 0 ? new byte[0] : Arrays.copyOf(out, len);
                    });
                }
                case 6 -> {
                    boolean heap = random.nextBoolean();
                    mustInit = !same(trace, "update buffer " + in.length, ours, theirs, cipher -> {
                        ByteBuffer input = heap ? ByteBuffer.wrap(in) : ByteBuffer.allocateDirect(in.length).put(0, in);
                        // Before Java 21, SunJCE requires as much room as doFinal needs.
                        int size = Math.max(in.length, cipher.getOutputSize(in.length));
                        ByteBuffer output = heap ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
                        int len = cipher.update(input, output);
                        byte[] result = new byte[len];
                        output.get(0, result);
                        return result;
                    });
                    aadAllowed = false;
                }
                case 7 -> mustInit = !same(trace, "doFinal " + in.length, ours, theirs, cipher -> cipher.doFinal(in));
                case 8 -> mustInit = !same(trace, "doFinal to " + room, ours, theirs, cipher -> {
                    byte[] out = new byte[room];
                    return Arrays.copyOf(out, cipher.doFinal(in, 0, in.length, out, 0));
                });
                default -> {
                    boolean heap = random.nextBoolean();
                    boolean isShort = random.nextInt(4) == 0;
                    String what = "doFinal " + (isShort ? "short " : "") + "buffer " + in.length;
                    same(trace, what, ours, theirs, cipher -> {
                        int needed = cipher.getOutputSize(in.length);
                        if (isShort && needed == 0) {
                            return new byte[0];
                        }
                        int size = isShort ? needed - 1 : needed;
                        ByteBuffer input = heap ? ByteBuffer.wrap(in) : ByteBuffer.allocateDirect(in.length).put(0, in);
                        ByteBuffer output = heap ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
                        int len = cipher.doFinal(input, output);
                        byte[] result = new byte[len];
                        output.get(0, result);
                        return result;
                    });
                    // Too little room changes nothing, so the sequence goes on.
                    if (isShort) {
                        continue;
                    }
                    mustInit = true;
                }
            }
            if (choice >= 7) {
                aadAllowed = true;
                // Before Java 21, SunJCE does not decrypt again without a new initialization.
                mustInit |= mode == Cipher.DECRYPT_MODE && Runtime.version().feature() < 21;
            }
        }
    }

    private static byte[] seal(byte[] key, byte[] nonce, byte[] aad, byte[] message) throws Exception {
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305", "SunJCE");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "ChaCha20"), new IvParameterSpec(nonce));
        cipher.updateAAD(aad);
        return cipher.doFinal(message);
    }

    private static int length(Random random) {
        return switch (random.nextInt(40)) {
            case 0 -> 70_000 + random.nextInt(70_000);
            case 1, 2, 3 -> random.nextInt(5000);
            default -> random.nextInt(200);
        };
    }

    private static int counter(Random random) {
        return random.nextBoolean() ? random.nextInt(3) : -1 - random.nextInt(3);
    }

    /**
     * Compares the results of a call. Returns false after an exception other than
     * IllegalStateException.
     */
    private boolean same(StringBuilder trace, String what, Cipher ours, Cipher theirs, Call call) {
        String expected = result(theirs, call);
        String actual = result(ours, call);
        boolean exception = expected.endsWith("Exception");
        outcomes.merge(exception ? expected : "bytes", 1, Integer::sum);
        trace.append(' ').append(what);
        assertEquals(expected, actual, trace::toString);
        if (!exception) {
            assertEquals(theirs.getOutputSize(100), ours.getOutputSize(100), trace::toString);
            assertArrayEquals(theirs.getIV(), ours.getIV(), trace::toString);
            assertArrayEquals(parameters(theirs), parameters(ours), trace::toString);
        }
        return !exception || expected.equals("IllegalStateException");
    }

    private static byte[] parameters(Cipher cipher) {
        try {
            AlgorithmParameters parameters = cipher.getParameters();
            return parameters == null ? null : parameters.getEncoded();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String result(Cipher cipher, Call call) {
        try {
            byte[] bytes = call.on(cipher);
            return bytes == null ? "null" : HexFormat.of().formatHex(bytes);
        } catch (GeneralSecurityException | RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }
}
