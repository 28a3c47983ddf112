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
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files for several holders. */
class HoldersTest {
    private static final byte[] TEXT = "plaintext".getBytes(StandardCharsets.UTF_8);

    private static byte[] open(AgeIdentities identities, byte[] file) throws IOException {
        try (AgeInputStream in = new AgeInputStream(new ByteArrayInputStream(file), identities)) {
            return in.readAllBytes();
        }
    }

    @Test
    void severalHoldersOpenAFileTogether() throws IOException {
        AgeKeyPair[] holders = new AgeKeyPair[3];
        AgeRecipients.Builder builder = new AgeRecipients.Builder();
        for (int i = 0; i < 3; i++) {
            holders[i] = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
            builder.add(holders[i].recipient());
        }
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (AgeRecipients recipients = builder.require(2, "plans for 2027").build();
                AgeOutputStream out = new AgeOutputStream(file, recipients)) {
            out.write(TEXT);
        }
        byte[] bytes = file.toByteArray();
        AgePart part;
        try (AgeIdentities third = AgeIdentities.of(holders[2].identity())) {
            AgeException e = assertThrows(AgeException.class, () -> open(third, bytes));
            assertEquals(AgeException.Reason.TOO_FEW_SHARES, e.reason());
            List<AgePart> parts = third.contribute(bytes);
            assertEquals(1, parts.size());
            part = parts.get(0);
            assertEquals("3 of 3, 2 open, plans for 2027",
                    part.point() + " of " + part.count() + ", " + part.threshold() + " open, " + part.label());
            assertFalse(part.toString().contains("SEALANE-PART"));
            // The header has the id that `sealane inspect` shows.
            String header = new String(bytes, StandardCharsets.ISO_8859_1);
            assertEquals(32, part.shareSet().length());
            assertTrue(header.contains(" v1 2 3 3 " + part.shareSet() + " "), header);
            int end = AgeKey.preambleLength(bytes, bytes.length) - 16;
            assertEquals(1, third.contribute(Arrays.copyOf(bytes, end)).size());
            for (int length : new int[] {0, 10, end / 2, end - 1}) {
                e = assertThrows(AgeException.class, () -> third.contribute(Arrays.copyOf(bytes, length)));
                assertEquals(AgeException.Reason.MALFORMED, e.reason(), "length " + length);
            }
        }
        // An identity without a share contributes nothing.
        try (AgeIdentities other = AgeIdentities.of(AgeKeyPair.generate(AgeKeyPair.Kind.X25519).identity())) {
            assertEquals(List.of(), other.contribute(bytes));
        }
        try (AgeIdentities first = new AgeIdentities.Builder()
                .add(holders[0].identity().toCharArray())
                .parts(part.text().toCharArray())
                .build()) {
            assertArrayEquals(TEXT, open(first, bytes));
        }
        AgeException tooFew = assertThrows(
                AgeException.class,
                () -> new AgeRecipients.Builder().add(holders[0].recipient()).require(2, "").build());
        assertEquals(AgeException.Reason.INVALID_RECIPIENTS, tooFew.reason());
        String twice = holders[0].recipient() + "\n" + holders[0].recipient();
        assertThrows(AgeException.class, () -> new AgeRecipients.Builder().add(twice).require(2, "").build());
        assertThrows(IllegalArgumentException.class, () -> new AgeRecipients.Builder().require(1, ""));
    }

    @Test
    void filesWithoutALabelHaveDifferentShareSets() throws IOException {
        AgeKeyPair own = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgeKeyPair other = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        AgePart[] parts = new AgePart[2];
        try (AgeRecipients recipients = new AgeRecipients.Builder()
                        .add(own.recipient())
                        .add(other.recipient())
                        .require(2, "")
                        .build();
                AgeIdentities identities = AgeIdentities.of(own.identity())) {
            for (int i = 0; i < 2; i++) {
                ByteArrayOutputStream file = new ByteArrayOutputStream();
                new AgeOutputStream(file, recipients).close();
                parts[i] = identities.contribute(file.toByteArray()).get(0);
                assertEquals("", parts[i].label());
            }
        }
        assertNotEquals(parts[0].shareSet(), parts[1].shareSet());
    }
}
