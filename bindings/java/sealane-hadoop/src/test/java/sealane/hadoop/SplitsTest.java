package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.compress.SplittableCompressionCodec;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealane.age.AgeException;
import sealane.age.AgeKey;

/** Reading a file in splits gives the lines of the plaintext, each once, in order. */
class SplitsTest {
    @TempDir
    Path folder;

    private static List<String> lines(Path path, long start, long length, Configuration conf) throws IOException {
        List<String> lines = new ArrayList<>();
        try (LineRecordReader reader = new LineRecordReader()) {
            FileSplit split = new FileSplit(
                    new org.apache.hadoop.fs.Path(path.toUri()), start, length, new String[0]);
            reader.initialize(split, new TaskAttemptContextImpl(conf, new TaskAttemptID()));
            while (reader.nextKeyValue()) {
                lines.add(reader.getCurrentValue().toString());
            }
        }
        return lines;
    }

    private static List<String> all(Path path, long splitLength, Configuration conf) throws IOException {
        List<String> lines = new ArrayList<>();
        long size = Files.size(path);
        for (long start = 0; start < size; start += splitLength) {
            lines.addAll(lines(path, start, Math.min(splitLength, size - start), conf));
        }
        return lines;
    }

    /**
     * Returns lines of about {@code lineLength} bytes, some of them empty, {@code length} in all.
     */
    private static byte[] text(int length, int lineLength, String lineEnd, boolean endsWithLine) {
        Random random = new Random(length * 31L + lineLength);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] end = lineEnd.getBytes(StandardCharsets.US_ASCII);
        while (text.size() < length) {
            int n = random.nextInt(2 * lineLength + 1);
            for (int i = 0; i < n; i++) {
                text.write('a' + random.nextInt(26));
            }
            text.writeBytes(end);
        }
        byte[] bytes = Arrays.copyOf(text.toByteArray(), length);
        if (endsWithLine && length >= end.length) {
            System.arraycopy(end, 0, bytes, length - end.length, end.length);
        }
        return bytes;
    }

    @Test
    void linesAreThoseOfThePlaintext() throws IOException {
        Configuration conf = Support.configuration();
        Path plain = folder.resolve("plain.txt");
        Path sealed = folder.resolve("sealed.txt.age");
        int[] lengths = {0, 1, 100, 65535, 65536, 65537, 131072, 131073, 400000};
        int cases = 0;
        for (int length : lengths) {
            for (String lineEnd : new String[] {"\n", "\r\n", "\r"}) {
                for (int lineLength : new int[] {0, 20, 100000}) {
                    for (boolean endsWithLine : new boolean[] {true, false}) {
                        byte[] text = text(length, lineLength, lineEnd, endsWithLine);
                        Files.write(plain, text);
                        Support.seal(sealed, text, false);
                        List<String> expected = all(plain, Long.MAX_VALUE / 2, conf);
                        long size = Files.size(sealed);
                        for (long split : new long[] {50, 200, 30000, 65552, 65536, 100000, size}) {
                            // Many tiny splits of a large file take long and test nothing new.
                            if (size / split > 50) {
                                continue;
                            }
                            String name = length + " bytes, lines of " + lineLength + ", splits of " + split;
                            assertEquals(expected, all(sealed, split, conf), name);
                            cases++;
                        }
                    }
                }
            }
        }
        assertEquals(918, cases);
    }

    @Test
    void buffersOfAnyLengthAndOtherDelimiters() throws IOException {
        Path plain = folder.resolve("plain.txt");
        Path sealed = folder.resolve("sealed.txt.age");
        for (int buffer : new int[] {100, 4096, 65536, 65552, 131072}) {
            for (String delimiter : new String[] {"\n", "\r\n", "|", "||", "a|b"}) {
                Configuration conf = Support.configuration();
                conf.setInt("io.file.buffer.size", buffer);
                // Without this property, lines end with \n, \r or \r\n.
                if (delimiter.contains("|")) {
                    conf.set("textinputformat.record.delimiter", delimiter);
                }
                for (int lineLength : new int[] {0, 20, 5000}) {
                    byte[] text = text(300000, lineLength, delimiter, lineLength != 20);
                    Files.write(plain, text);
                    Support.seal(sealed, text, false);
                    List<String> expected = all(plain, Long.MAX_VALUE / 2, conf);
                    for (long split : new long[] {10000, 65552, 65752, 100000}) {
                        String name = "buffer " + buffer + ", delimiter " + delimiter + ", lines of " + lineLength
                                + ", splits of " + split;
                        assertEquals(expected, all(sealed, split, conf), name);
                    }
                }
            }
        }
    }

    /** Lines end at every position around the boundary of two chunks. */
    @Test
    void linesEndOnBoundariesOfChunks() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        for (String lineEnd : new String[] {"\n", "\r\n"}) {
            for (int at = 65536 - 3; at <= 65536 + 2; at++) {
                byte[] text = new byte[140000];
                Arrays.fill(text, (byte) 'x');
                byte[] end = lineEnd.getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(end, 0, text, at, end.length);
                System.arraycopy(end, 0, text, 131072 - end.length, end.length);
                Support.seal(sealed, text, false);
                List<String> expected = List.of(
                        "x".repeat(at), "x".repeat(131072 - at - 2 * end.length), "x".repeat(140000 - 131072));
                for (long split : new long[] {1000, 65552, 65752, 80000, 131304}) {
                    assertEquals(expected, all(sealed, split, conf), at + ", splits of " + split);
                }
            }
        }
    }

    @Test
    void splitBoundariesOnEveryByteAroundChunks() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        byte[] text = text(200000, 50, "\n", true);
        Support.seal(sealed, text, false);
        List<String> expected = List.of(new String(text, StandardCharsets.US_ASCII).split("\n", -1));
        expected = expected.subList(0, expected.size() - 1);
        byte[] file = Files.readAllBytes(sealed);
        int payload = AgeKey.preambleLength(file, file.length);
        for (int around : new int[] {payload, payload + 65552, payload + 2 * 65552}) {
            for (int cut = around - 2; cut <= around + 2; cut++) {
                List<String> found = new ArrayList<>(lines(sealed, 0, cut, conf));
                found.addAll(lines(sealed, cut, file.length - cut, conf));
                assertEquals(expected, found, "cut at " + (cut - around));
            }
        }
        // A split after the end of the file.
        assertEquals(List.of(), lines(sealed, file.length + 70000, 100000, conf));
    }

    /** Spark removes the head line of CSV files only in splits that start at 0. */
    @Test
    void theFirstSplitHasTheFirstRecord() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        for (int length : new int[] {5, 70_000}) {
            Support.seal(sealed, text(length, 20, "\n", true), false);
            byte[] file = Files.readAllBytes(sealed);
            int payload = AgeKey.preambleLength(file, file.length);
            List<String> first = lines(sealed, 0, payload + 1, conf);
            assertTrue(!first.isEmpty());
            for (int cut : new int[] {1, payload / 2, payload - 1, payload}) {
                assertEquals(first, lines(sealed, 0, cut, conf), "cut at " + cut);
                assertEquals(List.of(), lines(sealed, cut, payload + 1 - cut, conf), "cut at " + cut);
            }
        }
    }

    @Test
    void armoredFilesAreReadInTheFirstSplit() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        byte[] text = text(200000, 50, "\n", true);
        Support.seal(sealed, text, true);
        List<String> expected = all(write("plain.txt", text), Long.MAX_VALUE / 2, conf);
        assertEquals(expected, lines(sealed, 0, 100000, conf));
        assertEquals(List.of(), lines(sealed, 100000, 100000, conf));
        assertEquals(expected, all(sealed, 50000, conf));
        byte[] armor = Files.readAllBytes(sealed);
        for (int count : new int[] {1024, 1025}) {
            Files.writeString(sealed, "\n".repeat(count));
            Files.write(sealed, armor, StandardOpenOption.APPEND);
            if (count == 1024) {
                assertEquals(expected, all(sealed, 50000, conf));
            } else {
                IOException e = assertThrows(IOException.class, () -> all(sealed, 50000, conf));
                assertEquals(AgeException.Reason.MALFORMED, cause(e).reason());
            }
        }
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private static AgeException cause(Throwable e) {
        while (!(e instanceof AgeException)) {
            e = e.getCause();
        }
        return (AgeException) e;
    }

    @Test
    void damageFailsTheSplitsThatReadItAndIsNamed() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        byte[] text = text(400000, 50, "\n", true);
        Support.seal(sealed, text, false);
        byte[] file = Files.readAllBytes(sealed);
        int payload = AgeKey.preambleLength(file, file.length);
        for (int chunk = 0; chunk < 7; chunk++) {
            byte[] changed = file.clone();
            changed[payload + chunk * 65552 + 100] ^= 1;
            Files.write(sealed, changed);
            int failed = 0;
            for (int split = 0; split < 7; split++) {
                long start = split == 0 ? 0 : payload + split * 65552L;
                long end = Math.min(file.length, payload + (split + 1) * 65552L);
                try {
                    lines(sealed, start, end - start, conf);
                } catch (IOException e) {
                    failed++;
                    assertEquals(chunk, cause(e).chunk().getAsLong());
                    assertTrue(e.getMessage().contains("plaintext from byte " + chunk * 65536), e.getMessage());
                }
            }
            // The split with the chunk fails, and the one whose last line ends in it.
            assertEquals(chunk == 0 ? 1 : 2, failed, "chunk " + chunk);
        }
        // A file that is cut, also between two chunks or before the first, and one that is longer.
        int[] lengths = {payload, payload + 3 * 65552, payload + 3 * 65552 + 5, file.length - 1, file.length + 1};
        int[] chunks = {0, 3, 3, 6, 6};
        for (int i = 0; i < lengths.length; i++) {
            int length = lengths[i];
            int chunk = chunks[i];
            Files.write(sealed, Arrays.copyOf(file, length));
            for (long split : new long[] {100, 65552}) {
                String name = "length " + length + ", splits of " + split;
                IOException e = assertThrows(IOException.class, () -> all(sealed, split, conf), name);
                assertEquals(AgeException.Reason.NOT_AUTHENTIC, cause(e).reason(), name);
                assertEquals(chunk, cause(e).chunk().getAsLong(), name);
                String message = e.getMessage();
                assertTrue(message.startsWith("the file is cut short"), name + ": " + message);
                assertTrue(message.contains("(plaintext from byte " + chunk * 65536 + ")"), name + ": " + message);
            }
        }
        // A chunk in the place of another one.
        byte[] swapped = file.clone();
        System.arraycopy(file, payload + 65552, swapped, payload + 2 * 65552, 65552);
        Files.write(sealed, swapped);
        assertThrows(IOException.class, () -> all(sealed, 65552, conf));
        // A changed header.
        byte[] header = file.clone();
        header[payload - 20] ^= 1;
        Files.write(sealed, header);
        assertThrows(IOException.class, () -> all(sealed, 65552, conf));
    }

    /** Damages a file. Returns the chunk that errors must name, or -1. */
    private static int damage(Random random, byte[] file, int payload, Path path) throws IOException {
        int chunks = (file.length - payload + 65551) / 65552;
        int chunk = random.nextInt(chunks);
        int start = payload + chunk * 65552;
        int length = Math.min(65552, file.length - start);
        byte[] changed = file.clone();
        switch (random.nextInt(4)) {
            case 0 -> changed[start + random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
            // Another chunk in the place of this one, if there are two whole chunks.
            case 1 -> {
                if (length == 65552 && chunk > 0) {
                    System.arraycopy(file, payload, changed, start, length);
                } else {
                    changed[start] ^= 1;
                }
            }
            case 2 -> {
                int cut = random.nextBoolean() ? start : payload + random.nextInt(file.length - payload);
                changed = Arrays.copyOf(file, cut);
                chunk = -1;
            }
            default -> {
                changed = Arrays.copyOf(file, file.length + 1 + random.nextInt(100));
                chunk = -1;
            }
        }
        Files.write(path, changed);
        return chunk;
    }

    /** A sample of all lengths, line ends and lengths of lines, splits, and kinds of damage. */
    @Test
    void splitsOfDamagedFilesFailOrHaveTheirLines() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        Path damaged = folder.resolve("damaged.txt.age");
        int[] lengths = {1, 100, 65535, 65536, 65537, 131072, 131073, 200000};
        String[] lineEnds = {"\n", "\r\n", "\r"};
        int[] lineLengths = {0, 20, 5000, 100000};
        int intact = 0;
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            int length = lengths[random.nextInt(lengths.length)];
            String lineEnd = lineEnds[random.nextInt(lineEnds.length)];
            int lineLength = lineLengths[random.nextInt(lineLengths.length)];
            Support.seal(sealed, text(length, lineLength, lineEnd, random.nextBoolean()), false);
            byte[] file = Files.readAllBytes(sealed);
            int chunk = damage(random, file, AgeKey.preambleLength(file, file.length), damaged);
            long size = Files.size(damaged);
            long split = Math.max(50, size / (1 + random.nextInt(8)));
            String name = "case " + i;
            int failed = 0;
            for (long start = 0; start < size; start += split) {
                List<String> found;
                try {
                    found = lines(damaged, start, Math.min(split, size - start), conf);
                } catch (IOException e) {
                    failed++;
                    assertEquals(AgeException.Reason.NOT_AUTHENTIC, cause(e).reason(), name);
                    if (chunk >= 0) {
                        assertEquals(chunk, cause(e).chunk().getAsLong(), name);
                        assertTrue(e.getMessage().contains("plaintext from byte " + chunk * 65536 + ")"), e.getMessage());
                    }
                    continue;
                }
                intact++;
                assertEquals(lines(sealed, start, Math.min(split, size - start), conf), found, name);
            }
            assertTrue(failed > 0, name);
        }
        assertTrue(intact > 200, "splits without damage: " + intact);
    }

    @Test
    void aClosedSplitIsNotAtItsEnd() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        AgeCodec codec = new AgeCodec();
        codec.setConf(conf);
        for (boolean armored : new boolean[] {false, true}) {
            Support.seal(sealed, text(200000, 50, "\n", true), armored);
            long size = Files.size(sealed);
            for (long start : new long[] {0, 70000}) {
                FSDataInputStream file = FileSystem.getLocal(conf).open(new org.apache.hadoop.fs.Path(sealed.toUri()));
                InputStream in = codec.createInputStream(
                        file, null, start, size, SplittableCompressionCodec.READ_MODE.BYBLOCK);
                in.readNBytes(10);
                in.close();
                IOException e = assertThrows(IOException.class, in::read);
                assertEquals("the file is closed", e.getMessage());
                assertThrows(IOException.class, () -> in.read(new byte[10]));
            }
        }
    }

    @Test
    void aFileKeyIsUnwrappedOnce() throws IOException {
        Configuration conf = Support.configuration();
        Path sealed = folder.resolve("sealed.txt.age");
        Support.seal(sealed, text(400000, 50, "\n", true), false);
        int before = Keys.unwrapped();
        all(sealed, 30000, conf);
        assertEquals(1, Keys.unwrapped() - before);
        // A configuration with other identities does not get the cached key.
        Configuration others = new Configuration(conf);
        others.set(AgeProperties.IDENTITIES, sealane.age.AgeKeyPair.generate(sealane.age.AgeKeyPair.Kind.X25519).identity());
        IOException e = assertThrows(IOException.class, () -> all(sealed, 30000, others));
        assertEquals("none of the identities can open the file", e.getMessage());
        others.unset(AgeProperties.IDENTITIES);
        e = assertThrows(IOException.class, () -> all(sealed, 30000, others));
        assertTrue(e.getMessage().contains(AgeProperties.IDENTITIES), e.getMessage());
    }
}
