package sealane.age;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretsTest {
    @TempDir
    Path folder;

    /**
     * Returns bytes that differ from these in every place, so that the heap has no further copy.
     */
    private static byte[] masked(byte[] bytes, int length) {
        byte[] masked = new byte[length];
        for (int i = 0; i < length; i++) {
            masked[i] = (byte) ~bytes[i];
        }
        return masked;
    }

    /**
     * Returns whether the heap, with unreachable objects, has the bytes that {@code masked} masks.
     */
    private boolean heapHas(byte[] masked) throws Exception {
        Path dump = folder.resolve("heap.hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), false);
        String heap = new String(Files.readAllBytes(dump), StandardCharsets.ISO_8859_1);
        Files.delete(dump);
        return heap.contains(new String(masked(masked, masked.length), StandardCharsets.ISO_8859_1));
    }

    /** Returns letters of two and three bytes, which take more room than an encoder expects. */
    private static char[] letters() {
        char[] text = new char[200];
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < text.length; i++) {
            text[i] = (char) (0x100 + random.nextInt(0x1000));
        }
        return text;
    }

    @Test
    void encodingLeavesNoCopies() throws Exception {
        // Heap dumps would also have the garbage of earlier tests.
        System.gc();
        char[] text = letters();
        byte[] encoded = Secrets.utf8(text);
        byte[] start = masked(encoded, 100);
        Secrets.wipe(encoded);
        assertFalse(heapHas(start));
        assertArrayEquals(new String(text).getBytes(StandardCharsets.UTF_8), Secrets.utf8(text));
        // An array that is not wiped is found.
        byte[] kept = Secrets.utf8(letters());
        assertTrue(heapHas(masked(kept, 100)));
        assertNotEquals(0, kept[0]);
    }

    /** If such a half became a question mark, other passphrases would open the file. */
    @Test
    void halfOfASurrogatePairIsRefused() throws Exception {
        for (String text : List.of("a\ud83d", "\ud83db", "a\ude00b", "\ud83d")) {
            char[] chars = text.toCharArray();
            for (Callable<?> call : List.<Callable<?>>of(
                    () -> AgeRecipients.ofPassphrase(chars),
                    () -> AgeIdentities.ofPassphrase(chars),
                    () -> AgeIdentities.of(text),
                    () -> new AgeIdentities.Builder().parts(chars).build(),
                    () -> new AgeIdentities.Builder().ssh(chars, null).build(),
                    () -> new AgeIdentities.Builder().ssh(new char[0], chars).build())) {
                AgeException e = assertThrows(AgeException.class, call::call);
                assertEquals(AgeException.Reason.INVALID_KEY, e.reason());
            }
            AgeException e = assertThrows(AgeException.class, () -> AgeRecipients.ofPassphrase(chars));
            assertEquals("the text is not UTF-8", e.getMessage());
        }
        assertArrayEquals("\ud83d\ude00".getBytes(StandardCharsets.UTF_8), Secrets.utf8("\ud83d\ude00".toCharArray()));
    }
}
