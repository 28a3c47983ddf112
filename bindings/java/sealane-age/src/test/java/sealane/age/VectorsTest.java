package sealane.age;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;

/** The Community Cryptography Test Vectors for age. */
class VectorsTest {
    private static final Path FOLDER = Path.of(System.getProperty("sealane.vectors"), "age", "testdata");

    private record Vector(String name, String expect, String payload, AgeIdentities identities, byte[] file) {}

    private static Vector read(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        int split = 0;
        while (bytes[split] != '\n' || bytes[split + 1] != '\n') {
            split++;
        }
        byte[] file = Arrays.copyOfRange(bytes, split + 2, bytes.length);
        AgeIdentities.Builder identities = new AgeIdentities.Builder();
        String expect = null;
        String payload = null;
        for (String line : new String(bytes, 0, split, StandardCharsets.UTF_8).split("\n")) {
            String[] field = line.split(": ", 2);
            switch (field[0]) {
                case "expect" -> expect = field[1];
                case "payload" -> payload = field[1];
                case "identity" -> identities.add(field[1].toCharArray());
                case "passphrase" -> identities.passphrase(field[1].toCharArray(), AgeIdentities.MAX_WORK_FACTOR);
                case "compressed" -> {
                    assertEquals("zlib", field[1]);
                    file = new InflaterInputStream(new ByteArrayInputStream(file)).readAllBytes();
                }
                default -> {}
            }
        }
        return new Vector(path.getFileName().toString(), expect, payload, identities.build(), file);
    }

    private static String status(AgeException e) {
        return switch (e.reason()) {
            case MALFORMED -> "malformed";
            case EXCESSIVE_WORK -> "header failure";
            case NO_MATCH -> "no match";
            case NOT_AUTHENTIC -> e.getMessage().contains("header") ? "HMAC failure" : "payload failure";
            default -> throw new AssertionError(e);
        };
    }

    @Test
    void everyVectorHasItsStatusAndReleasesItsBytes() throws Exception {
        List<Path> paths;
        try (var files = Files.list(FOLDER)) {
            paths = files.sorted().toList();
        }
        Map<String, Integer> counts = new TreeMap<>();
        for (Path path : paths) {
            Vector vector = read(path);
            // In pieces of 1 and of 100 bytes, and in one piece.
            for (int step : new int[] {1, 100, 1 << 20}) {
                if (step == 1 && vector.file.length > 20000) {
                    continue;
                }
                ByteArrayOutputStream released = new ByteArrayOutputStream();
                String status = "success";
                try (AgeInputStream in =
                        new AgeInputStream(new Slow(new ByteArrayInputStream(vector.file), step), vector.identities)) {
                    in.transferTo(released);
                } catch (AgeException e) {
                    status = status(e);
                }
                String expect = vector.expect;
                if (status.equals("malformed")) {
                    assertTrue(expect.equals("header failure") || expect.equals("armor failure"), vector.name);
                } else {
                    assertEquals(expect, status, vector.name);
                }
                if (vector.payload != null) {
                    byte[] hash = MessageDigest.getInstance("SHA-256").digest(released.toByteArray());
                    assertEquals(vector.payload, HexFormat.of().formatHex(hash), vector.name + " " + step);
                } else if (!expect.equals("armor failure")) {
                    assertEquals(0, released.size(), vector.name);
                }
            }
            vector.identities.close();
            counts.merge(vector.expect, 1, Integer::sum);
        }
        assertEquals(
                Map.of(
                        "HMAC failure", 1,
                        "armor failure", 26,
                        "header failure", 62,
                        "no match", 13,
                        "payload failure", 19,
                        "success", 26),
                counts);
    }
}
