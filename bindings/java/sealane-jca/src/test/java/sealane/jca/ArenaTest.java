package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import org.junit.jupiter.api.Test;

/** Direct buffers over memory of an arena, which Java 21 and later have. */
class ArenaTest {
    private static final Random RANDOM = new Random(21);

    /** An arena, called by reflection, because the tests are compiled for Java 17. */
    private static final class Arena implements AutoCloseable {
        private final Class<?> kind = Class.forName("java.lang.foreign.Arena");
        private final Object arena = kind.getMethod("ofConfined").invoke(null);

        Arena() throws ReflectiveOperationException {}

        ByteBuffer allocate(int bytes) throws ReflectiveOperationException {
            Object segment = kind.getMethod("allocate", long.class).invoke(arena, bytes);
            Method asByteBuffer = Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer");
            return (ByteBuffer) asByteBuffer.invoke(segment);
        }

        @Override
        public void close() throws ReflectiveOperationException {
            kind.getMethod("close").invoke(arena);
        }
    }

    private static Cipher cipher() throws GeneralSecurityException {
        return Support.aead(
                "ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, Support.bytes(RANDOM, 32), Support.bytes(RANDOM, 12));
    }

    @Test
    void freedMemoryIsNotUsed() throws Exception {
        // Java 17 has no arenas.
        if (Runtime.version().feature() < 21) {
            return;
        }
        // A message in one call, and one in pieces.
        for (int length : new int[] {100, 100_000}) {
            ByteBuffer freed;
            try (Arena arena = new Arena()) {
                freed = arena.allocate(length + 16);
                ByteBuffer text = ByteBuffer.allocateDirect(length);
                assertEquals(length + 16, cipher().doFinal(text, freed.duplicate()));
            }
            ByteBuffer live = ByteBuffer.allocateDirect(length + 32);
            for (List<ByteBuffer> pair : List.of(List.of(freed, live), List.of(live.duplicate().limit(length), freed))) {
                Cipher cipher = cipher();
                assertThrows(IllegalStateException.class, () -> cipher.doFinal(pair.get(0), pair.get(1)));
            }
        }
    }
}
