package sealane.age;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;

/** Files that are not written to their end. */
class IncompleteTest {
    private static byte[] open(AgeIdentities identities, byte[] file) throws IOException {
        try (AgeInputStream in = new AgeInputStream(new ByteArrayInputStream(file), identities)) {
            return in.readAllBytes();
        }
    }

    @Test
    void aFileThatFailsOrIsGivenUpIsNotWhole() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (file.size() + length > 100000) {
                    throw new IOException("full");
                }
                file.write(bytes, offset, length);
            }
        };
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient());
                AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            AgeOutputStream out = new AgeOutputStream(full, recipients);
            assertThrows(IOException.class, () -> out.write(new byte[300000]));
            assertThrows(IOException.class, () -> out.write(1));
            IOException e = assertThrows(IOException.class, out::close);
            assertEquals("an earlier write failed", e.getMessage());
            assertThrows(AgeException.class, () -> open(identities, file.toByteArray()));

            ByteArrayOutputStream second = new ByteArrayOutputStream();
            AgeOutputStream aborted = new AgeOutputStream(second, recipients);
            aborted.write(new byte[10]);
            aborted.abort();
            aborted.close();
            aborted.close();
            assertThrows(AgeException.class, () -> open(identities, second.toByteArray()));
            assertThrows(IOException.class, () -> aborted.write(1));
        }
    }

    @Test
    void aWrongPartOfThePlaintextIsAnErrorOfTheLibrary() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        long[] key = new long[1];
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient())) {
            recipients.start(key);
        }
        try {
            // Only the last chunk of a file may be short.
            AgeException e = assertThrows(
                    AgeException.class, () -> Native.seal(key[0], 0, false, new byte[10], 0, 10, new byte[26], 0));
            assertEquals(AgeException.Reason.INTERNAL, e.reason());
        } finally {
            Native.sealingKeyFree(key[0]);
        }
    }

    @Test
    void aFileWhoseFlushFailedIsNotWhole() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        for (boolean armored : new boolean[] {false, true}) {
            boolean[] closed = new boolean[1];
            ByteArrayOutputStream file = new ByteArrayOutputStream() {
                private boolean failed;

                @Override
                public void close() {
                    closed[0] = true;
                }

                @Override
                public void flush() throws IOException {
                    if (!failed) {
                        failed = true;
                        throw new IOException("flush");
                    }
                }
            };
            try (AgeRecipients recipients = AgeRecipients.of(pair.recipient());
                    AgeIdentities identities = AgeIdentities.of(pair.identity())) {
                AgeOutputStream out = new AgeOutputStream(file, recipients, armored);
                out.write(new byte[10]);
                IOException e = assertThrows(IOException.class, out::flush);
                assertEquals("flush", e.getMessage());
                // A later success does not show that the earlier bytes have arrived.
                out.flush();
                assertThrows(IOException.class, () -> out.write(1));
                e = assertThrows(IOException.class, out::close);
                assertEquals("an earlier write failed", e.getMessage());
                assertTrue(closed[0]);
                assertThrows(AgeException.class, () -> open(identities, file.toByteArray()));
            }
        }
    }
}
