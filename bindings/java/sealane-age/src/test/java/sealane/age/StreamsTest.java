package sealane.age;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamsTest {
    private static final int[] LENGTHS = {0, 1, 65535, 65536, 65537, 131072, 300000};

    @TempDir
    Path folder;

    private static byte[] text(int length) {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) (i * i >> 5);
        }
        return text;
    }

    private static byte[] seal(String recipient, byte[] text, boolean armored, int step) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (AgeRecipients recipients = AgeRecipients.of(recipient);
                AgeOutputStream out = new AgeOutputStream(file, recipients, armored)) {
            for (int at = 0; at < text.length; at += step) {
                out.write(text, at, Math.min(step, text.length - at));
            }
        }
        return file.toByteArray();
    }

    private static byte[] open(AgeIdentities identities, byte[] file) throws IOException {
        try (AgeInputStream in = new AgeInputStream(new ByteArrayInputStream(file), identities)) {
            return in.readAllBytes();
        }
    }

    @Test
    void streamsGiveThePlaintextBack() throws IOException {
        for (AgeKeyPair.Kind kind : AgeKeyPair.Kind.values()) {
            AgeKeyPair pair = AgeKeyPair.generate(kind);
            try (AgeIdentities identities = AgeIdentities.of("# a key\n" + pair.identity() + "\n")) {
                for (int length : LENGTHS) {
                    byte[] text = text(length);
                    for (int step : new int[] {777, 65536, 1 << 20}) {
                        assertArrayEquals(text, open(identities, seal(pair.recipient(), text, false, step)));
                        byte[] armored = seal(pair.recipient(), text, true, step);
                        assertArrayEquals(text, open(identities, armored));
                        String[] lines = new String(armored, StandardCharsets.US_ASCII).split("\n");
                        assertEquals("-----END AGE ENCRYPTED FILE-----", lines[lines.length - 1]);
                        assertTrue(Arrays.stream(lines).skip(1).limit(lines.length - 3).allMatch(l -> l.length() == 64));
                    }
                }
            }
        }
    }

    @Test
    void keysOfSsh() throws IOException {
        Path keys = Path.of(System.getProperty("sealane.ssh"));
        for (String[] names : new String[][] {
            {"ssh_ed25519.pub", "ssh_ed25519", null},
            {"ssh_ed25519.pub", "ssh_ed25519_encrypted", "correct horse"},
            {"ssh_rsa.pub", "ssh_rsa", null}
        }) {
            byte[] file = seal(Files.readString(keys.resolve(names[0])), text(100), false, 100);
            char[] key = Files.readString(keys.resolve(names[1])).toCharArray();
            char[] passphrase = names[2] == null ? null : names[2].toCharArray();
            try (AgeIdentities identities = new AgeIdentities.Builder()
                    .add(AgeKeyPair.generate(AgeKeyPair.Kind.X25519).identity().toCharArray())
                    .ssh(key, passphrase)
                    .build()) {
                assertArrayEquals(text(100), open(identities, file));
            }
            if (passphrase != null) {
                AgeIdentities.Builder builder = new AgeIdentities.Builder();
                AgeException e = assertThrows(AgeException.class, () -> builder.ssh(key, null).build());
                assertEquals(AgeException.Reason.INVALID_KEY, e.reason());
                assertEquals("the ssh key is encrypted: its passphrase is needed", e.getMessage());
                e = assertThrows(AgeException.class, () -> builder.ssh(key, "wrong".toCharArray()).build());
                assertEquals("the passphrase does not open the ssh key", e.getMessage());
            }
            char[] half = Arrays.copyOf(key, key.length / 2);
            AgeException e = assertThrows(AgeException.class, () -> new AgeIdentities.Builder().ssh(half, null).build());
            assertEquals("not an ssh private key", e.getMessage());
        }
    }

    @Test
    void aRecipientOfAnotherTypeIsNotLeftOut() throws IOException {
        String ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHr86oGPX6f/So1PQh4W"
                + "/agHSTThvIrrtx2OQP/xSKzgHyrMUqoQ7kzKPTAKizlIREEdjc0mySXBk975VRhI5dQ=";
        AgeException e = assertThrows(AgeException.class, () -> AgeRecipients.of("# a\n" + ecdsa));
        assertEquals(AgeException.Reason.INVALID_KEY, e.reason());
        assertTrue(e.getMessage().startsWith("line 2: "), e.getMessage());
    }

    @Test
    void aClosedStreamIsNotAtItsEnd() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        byte[] file = seal(pair.recipient(), text(100), false, 100);
        try (AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            for (int count : new int[] {0, 1, 101}) {
                AgeInputStream in = new AgeInputStream(new ByteArrayInputStream(file), identities);
                in.readNBytes(count);
                in.close();
                in.close();
                IOException e = assertThrows(IOException.class, in::read);
                assertEquals("the file is closed", e.getMessage());
                assertThrows(IOException.class, () -> in.read(new byte[10]));
                assertThrows(IOException.class, () -> in.read(new byte[0]));
            }
        }
    }

    @Test
    void damageIsNamedAndNothingBehindItIsReleased() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        byte[] text = text(300000);
        byte[] file = seal(pair.recipient(), text, false, 1 << 20);
        int start = AgeKey.preambleLength(file, file.length);
        try (AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            for (int chunk = 0; chunk < 5; chunk++) {
                byte[] changed = file.clone();
                changed[start + chunk * AgeKey.SEALED_CHUNK_BYTES + 7] ^= 1;
                AgeInputStream in = new AgeInputStream(new ByteArrayInputStream(changed), identities);
                assertArrayEquals(Arrays.copyOf(text, chunk * 65536), in.readNBytes(chunk * 65536));
                AgeException e = assertThrows(AgeException.class, in::read);
                assertEquals(AgeException.Reason.NOT_AUTHENTIC, e.reason());
                assertEquals(OptionalLong.of(chunk), e.chunk());
                assertTrue(e.getMessage().contains(String.valueOf(chunk * 65536)), e.getMessage());
                assertThrows(IOException.class, in::read);
            }
            int[] lengths = {start, start + 5, start + AgeKey.SEALED_CHUNK_BYTES, file.length - 1};
            int[] chunks = {0, 0, 1, 4};
            for (int i = 0; i < lengths.length; i++) {
                int length = lengths[i];
                AgeException e = assertThrows(
                        AgeException.class, () -> open(identities, Arrays.copyOf(file, length)), "length " + length);
                assertEquals(AgeException.Reason.NOT_AUTHENTIC, e.reason());
                assertEquals(OptionalLong.of(chunks[i]), e.chunk(), "length " + length);
                String place = "(plaintext from byte " + chunks[i] * AgeKey.CHUNK_BYTES + ")";
                assertTrue(e.getMessage().startsWith("the file is cut short"), e.getMessage());
                assertTrue(e.getMessage().contains(place), e.getMessage());
            }
            AgeException trailing =
                    assertThrows(AgeException.class, () -> open(identities, Arrays.copyOf(file, file.length + 1)));
            assertEquals(AgeException.Reason.NOT_AUTHENTIC, trailing.reason());
            for (int length : new int[] {0, 10, 100, start - 1}) {
                AgeException e =
                        assertThrows(AgeException.class, () -> open(identities, Arrays.copyOf(file, length)));
                assertEquals(AgeException.Reason.MALFORMED, e.reason());
                assertTrue(e.chunk().isEmpty());
            }
        }
        try (AgeIdentities others = AgeIdentities.of(AgeKeyPair.generate(AgeKeyPair.Kind.X25519).identity())) {
            AgeException e = assertThrows(AgeException.class, () -> open(others, file));
            assertEquals(AgeException.Reason.NO_MATCH, e.reason());
        }
    }

    @Test
    void channelsReadAtAnyPosition() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.MLKEM768_X25519);
        try (AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            for (int length : LENGTHS) {
                byte[] text = text(length);
                Path path = folder.resolve("file.age");
                Files.write(path, seal(pair.recipient(), text, false, 1 << 20));
                AgeChannel closed;
                try (AgeChannel channel = new AgeChannel(Files.newByteChannel(path), identities)) {
                    closed = channel;
                    for (long position : new long[] {0, 1, 65535, 65536, length / 2, length, length + 5, Long.MAX_VALUE}) {
                        int wanted = 70000;
                        ByteBuffer buffer = ByteBuffer.allocate(wanted);
                        channel.position(position);
                        while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                            // All of it.
                        }
                        int from = (int) Math.min(position, length);
                        byte[] expected = Arrays.copyOfRange(text, from, Math.min(length, from + wanted));
                        assertArrayEquals(expected, Arrays.copyOf(buffer.array(), buffer.position()));
                    }
                    assertEquals(length, channel.size());
                    assertThrows(NonWritableChannelException.class, () -> channel.write(ByteBuffer.allocate(1)));
                    assertThrows(NonWritableChannelException.class, () -> channel.truncate(0));
                    assertThrows(IllegalArgumentException.class, () -> channel.position(-1));
                }
                assertFalse(closed.isOpen());
                assertThrows(ClosedChannelException.class, closed::size);
            }
            // The length of a file that was cut between two chunks is not trusted.
            byte[] file = seal(pair.recipient(), text(300000), false, 1 << 20);
            int start = AgeKey.preambleLength(file, file.length);
            Path cut = folder.resolve("cut.age");
            Files.write(cut, Arrays.copyOf(file, start + 2 * AgeKey.SEALED_CHUNK_BYTES));
            try (AgeChannel channel = new AgeChannel(Files.newByteChannel(cut), identities)) {
                assertThrows(AgeException.class, channel::size);
                ByteBuffer buffer = ByteBuffer.allocate(10);
                assertEquals(10, channel.read(buffer));
                channel.position(131072);
                assertThrows(AgeException.class, () -> channel.read(ByteBuffer.allocate(1)));
            }
        }
    }

    @Test
    void passphrases() throws IOException {
        char[] passphrase = "pässphrase".toCharArray();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (AgeRecipients recipients = new AgeRecipients.Builder().passphrase(passphrase, 4).build();
                AgeOutputStream out = new AgeOutputStream(file, recipients)) {
            out.write(text(100));
        }
        try (AgeIdentities right = AgeIdentities.ofPassphrase(passphrase);
                AgeIdentities wrong = AgeIdentities.ofPassphrase("passphrase".toCharArray());
                AgeIdentities limited = new AgeIdentities.Builder().passphrase(passphrase, 3).build()) {
            assertArrayEquals(text(100), open(right, file.toByteArray()));
            AgeException e = assertThrows(AgeException.class, () -> open(wrong, file.toByteArray()));
            assertEquals(AgeException.Reason.NO_MATCH, e.reason());
            e = assertThrows(AgeException.class, () -> open(limited, file.toByteArray()));
            assertEquals(AgeException.Reason.EXCESSIVE_WORK, e.reason());
        }
        assertThrows(AgeException.class, () -> new AgeRecipients.Builder().passphrase(passphrase, 23).build());
    }

    @Test
    void anEmptyPassphraseOnlyOpensFiles() throws IOException {
        char[] empty = {};
        for (Callable<AgeRecipients> builder : List.<Callable<AgeRecipients>>of(
                () -> AgeRecipients.ofPassphrase(empty),
                () -> new AgeRecipients.Builder().passphrase(empty, 4).build())) {
            AgeException e = assertThrows(AgeException.class, builder::call);
            assertEquals(AgeException.Reason.INVALID_KEY, e.reason());
            assertEquals("the passphrase is empty", e.getMessage());
        }
        // A file that was encrypted with an empty passphrase and work factor 4.
        byte[] file = Base64.getDecoder().decode(
                "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBTRUFETmtDUUdMZW9rYVJaMStKWU93IDQKZnR2bnhTRGRK"
                + "dVNmTXlHZ3BvandhazBqWWRneEh1bWQvTUp3MGN4M2tHZwotLS0gUk80ZDNFSlRGZjVpdm92TTByWUFUZ2Jrbm1k"
                + "QjRUMnppNi9udVI1UXVkcwoeW+iCDlGNHtwGSNyX7ByosDFtoNj4hT2cZEOoWEDZNDiG8rXk7BicAoA=");
        try (AgeIdentities identities = AgeIdentities.ofPassphrase(empty)) {
            assertArrayEquals(text(10), open(identities, file));
        }
    }

    @Test
    void aBuilderIsEmptyAfterwards() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgeRecipients.Builder builder = new AgeRecipients.Builder().add(pair.recipient()).require(2, "x".repeat(101));
        AgeException e = assertThrows(AgeException.class, builder::build);
        assertEquals(AgeException.Reason.INVALID_KEY, e.reason());
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (AgeRecipients recipients = builder.add(pair.recipient()).build();
                AgeOutputStream out = new AgeOutputStream(file, recipients)) {
            out.write(text(10));
        }
        try (AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            assertArrayEquals(text(10), open(identities, file.toByteArray()));
        }
    }

    @Test
    void keysAreTexts() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        assertTrue(pair.identity().startsWith("AGE-SECRET-KEY-1"));
        assertEquals(pair.recipient(), pair.toString());
        assertEquals(pair, AgeKeyPair.of(pair.identity()));
        assertNotEquals(pair, AgeKeyPair.generate(AgeKeyPair.Kind.X25519));
        for (String wrong : new String[] {"", "age1", pair.recipient(), pair.identity() + "A", "\u00e4"}) {
            AgeException e = assertThrows(AgeException.class, () -> AgeKeyPair.of(wrong));
            assertEquals(AgeException.Reason.INVALID_KEY, e.reason());
            assertThrows(AgeException.class, () -> AgeIdentities.of(wrong + "x"));
        }
        AgeException e = assertThrows(AgeException.class, () -> AgeRecipients.of(pair.identity()));
        assertEquals("line 1: a private key (identity), where a recipient (public key) is expected", e.getMessage());
        AgeRecipients closed = AgeRecipients.of(pair.recipient());
        closed.close();
        closed.close();
        assertThrows(IllegalStateException.class, () -> new AgeOutputStream(OutputStream.nullOutputStream(), closed));
    }

    @Test
    void keysServeSeveralThreads() throws Exception {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        byte[] text = text(300000);
        byte[] file = seal(pair.recipient(), text, false, 1 << 20);
        int start = AgeKey.preambleLength(file, file.length);
        var threads = Executors.newFixedThreadPool(16);
        try (AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            AgeKey key = AgeKey.unlock(identities, file, file.length);
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                int chunk = i % 5;
                tasks.add(() -> {
                    int at = start + chunk * AgeKey.SEALED_CHUNK_BYTES;
                    int length = Math.min(AgeKey.SEALED_CHUNK_BYTES, file.length - at);
                    byte[] out = new byte[AgeKey.CHUNK_BYTES];
                    int opened = key.open(chunk, chunk == 4, file, at, length, out, 0);
                    byte[] expected = Arrays.copyOfRange(text, chunk * 65536, chunk * 65536 + opened);
                    assertArrayEquals(expected, Arrays.copyOf(out, opened));
                    return null;
                });
            }
            for (var result : threads.invokeAll(tasks)) {
                result.get();
            }
            assertThrows(IllegalArgumentException.class, () -> key.open(0, false, file, 0, 70000, new byte[70000], 0));
            assertThrows(IllegalArgumentException.class, () -> key.open(0, false, file, 0, 100, file, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> key.open(0, false, file, -1, 100, new byte[100], 0));
            assertThrows(IndexOutOfBoundsException.class, () -> key.open(0, false, file, 0, 100, new byte[83], 0));
            key.close();
            assertThrows(IllegalStateException.class, () -> key.open(0, false, file, 0, 100, new byte[100], 0));
        } finally {
            threads.shutdown();
        }
    }
}
