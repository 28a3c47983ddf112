package sealane.age;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import sealane.jca.SealaneProvider;
import sealane.test.Keygen;

/** Outputs that buffer, files that become shorter, class loaders, and too little memory. */
class SurroundingsTest {
    private static final boolean CAN_DENY = Runtime.version().feature() >= 24;

    @TempDir
    Path folder;

    @Test
    void flushReachesTheFile() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient())) {
            for (boolean armored : new boolean[] {false, true}) {
                ByteArrayOutputStream file = new ByteArrayOutputStream();
                OutputStream buffered = new BufferedOutputStream(file, 1 << 20);
                try (AgeOutputStream out = new AgeOutputStream(buffered, recipients, armored)) {
                    out.write(new byte[200_000]);
                    assertEquals(0, file.size());
                    out.flush();
                    // All chunks but the last one, which is held back.
                    assertTrue(file.size() > 131_072, "armored: " + armored);
                }
            }
        }
    }

    /** The lines of an armored file are not written one by one. */
    @Test
    void armorIsWrittenInLargePieces() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        int[] calls = new int[1];
        OutputStream file = new OutputStream() {
            @Override
            public void write(int b) {
                calls[0]++;
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                calls[0]++;
            }
        };
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient());
                AgeOutputStream out = new AgeOutputStream(file, recipients, true)) {
            out.write(new byte[10 * AgeKey.CHUNK_BYTES]);
        }
        assertTrue(calls[0] < 50, calls[0] + " calls");
    }

    @Test
    void armorMayFollow1024BytesOfWhiteSpace() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        ByteArrayOutputStream armor = new ByteArrayOutputStream();
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient());
                AgeOutputStream out = new AgeOutputStream(armor, recipients, true)) {
            out.write(1);
        }
        try (AgeIdentities identities = AgeIdentities.of(pair.identity())) {
            for (int count : new int[] {0, 1, 1023, 1024, 1025}) {
                String file = "\n".repeat(count) + armor.toString(StandardCharsets.US_ASCII);
                byte[] bytes = file.getBytes(StandardCharsets.US_ASCII);
                InputStream in = new ByteArrayInputStream(bytes);
                // More bytes than needed do not matter.
                assertEquals(count <= 1024, AgeInputStream.isArmored(bytes), "count " + count);
                if (count <= 1024) {
                    assertEquals(1, new AgeInputStream(in, identities).read());
                } else {
                    AgeException e = assertThrows(AgeException.class, () -> new AgeInputStream(in, identities));
                    assertEquals(AgeException.Reason.MALFORMED, e.reason());
                }
            }
        }
    }

    @Test
    void armorBeginsWithADash() {
        for (int b = 0; b < 256; b++) {
            boolean isSkippedOrDash = b >= '\t' && b <= '\r' || b == ' ' || b == '-';
            assertEquals(isSkippedOrDash, AgeInputStream.isArmored(new byte[] {(byte) b, '-'}), "byte " + b);
            assertEquals(b == '-', AgeInputStream.isArmored(new byte[] {(byte) b}), "byte " + b);
        }
        assertFalse(AgeInputStream.isArmored(new byte[0]));
    }

    @Test
    void aFileThatBecomesShorterIsCutShort() throws IOException {
        AgeKeyPair pair = AgeKeyPair.generate(AgeKeyPair.Kind.X25519);
        Path path = folder.resolve("file.age");
        try (AgeRecipients recipients = AgeRecipients.of(pair.recipient());
                AgeOutputStream out = new AgeOutputStream(Files.newOutputStream(path), recipients)) {
            out.write(new byte[200_000]);
        }
        byte[] file = Files.readAllBytes(path);
        try (AgeIdentities identities = AgeIdentities.of(pair.identity());
                AgeChannel channel = new AgeChannel(Files.newByteChannel(path), identities)) {
            Files.write(path, Arrays.copyOf(file, 100_000));
            assertEquals(10, channel.read(ByteBuffer.allocate(10)));
            channel.position(70_000);
            AgeException e = assertThrows(AgeException.class, () -> channel.read(ByteBuffer.allocate(10)));
            assertEquals(AgeException.Reason.NOT_AUTHENTIC, e.reason());
            assertEquals("the file is cut short: it became shorter while it was read", e.getMessage());
            assertThrows(AgeException.class, channel::size);
        }
    }

    private static URL jar(Class<?> ofJar) {
        return ofJar.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void classLoadersThatDifferAreNamed() throws Exception {
        try (URLClassLoader parent = new URLClassLoader(
                        new URL[] {jar(SealaneProvider.class)}, ClassLoader.getPlatformClassLoader());
                URLClassLoader child = new URLClassLoader(new URL[] {jar(AgeRecipients.class)}, parent)) {
            Method of = child.loadClass(AgeRecipients.class.getName()).getMethod("of", String.class);
            InvocationTargetException e = assertThrows(InvocationTargetException.class, () -> of.invoke(null, "age1"));
            assertInstanceOf(UnsupportedOperationException.class, e.getCause());
            assertTrue(e.getCause().getMessage().contains("class loaders"), e.getCause().getMessage());
        }
    }

    /** Two class loaders have the jars, and the property names the library. One can load it. */
    @Test
    void aSecondClassLoaderIsNamed() throws Exception {
        Path library = folder.resolve("library.so");
        try (InputStream in = library()) {
            Files.copy(in, library);
        }
        URL[] jars = {jar(SealaneProvider.class), jar(AgeRecipients.class)};
        // This class loader does not load the library after this.
        assertEquals(Optional.empty(), SealaneProvider.problem());
        System.setProperty("sealane.jca.library", library.toString());
        try (URLClassLoader first = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
                URLClassLoader second = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
            generate(first);
            InvocationTargetException e = assertThrows(InvocationTargetException.class, () -> generate(second));
            assertInstanceOf(UnsupportedOperationException.class, e.getCause());
            assertTrue(e.getCause().getMessage().contains("all applications share"), e.getCause().getMessage());
        } finally {
            System.clearProperty("sealane.jca.library");
        }
    }

    /** Returns the native library of this system. */
    private static InputStream library() throws ReflectiveOperationException {
        Class<?> choice = Class.forName("sealane.jca.NativeLibrary");
        Method isMusl = choice.getDeclaredMethod("isMusl");
        Method platform = choice.getDeclaredMethod("platform", String.class, String.class, boolean.class);
        isMusl.setAccessible(true);
        platform.setAccessible(true);
        Object name = platform.invoke(
                null, System.getProperty("os.name"), System.getProperty("os.arch"), isMusl.invoke(null));
        return SealaneProvider.class.getResourceAsStream("native/" + name + "/libsealane_jca.so");
    }

    private static void generate(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> kind = loader.loadClass(AgeKeyPair.Kind.class.getName());
        Method generate = loader.loadClass(AgeKeyPair.class.getName()).getMethod("generate", kind);
        generate.invoke(null, kind.getEnumConstants()[0]);
    }

    /** Java 24 and later can deny native access, which both modules need. */
    @Test
    void bothModulesNeedNativeAccess() throws Exception {
        String output = inModules("sealane.jca,sealane.age");
        assertTrue(output.startsWith("age1"), output);
        if (CAN_DENY) {
            output = inModules("sealane.jca");
            assertTrue(output.startsWith("sealane-age cannot call the native library: "), output);
            assertTrue(output.contains("sealane.age"), output);
        }
    }

    /** Generates a key with both jars as modules. Only {@code modules} have native access. */
    private static String inModules(String modules) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String jars = Path.of(jar(SealaneProvider.class).toURI()) + ":" + Path.of(jar(AgeKeyPair.class).toURI());
        List<String> command = new ArrayList<>(List.of(java, "-p", jars, "--add-modules", "sealane.age"));
        command.add("--enable-native-access=" + modules);
        if (CAN_DENY) {
            command.add("--illegal-native-access=deny");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Keygen.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    /** Uses scrypt with the largest work factor, which needs 4 GiB of memory. */
    static final class Scrypt {
        private Scrypt() {}

        public static void main(String[] arguments) throws IOException {
            char[] passphrase = "passphrase".toCharArray();
            try (AgeRecipients recipients =
                    new AgeRecipients.Builder().passphrase(passphrase, 22).build()) {
                new AgeOutputStream(OutputStream.nullOutputStream(), recipients).close();
            } catch (AgeException e) {
                System.out.println("encryption: " + e.reason());
            }
            String file = "age-encryption.org/v1\n-> scrypt " + "A".repeat(22) + " 22\n" + "A".repeat(43) + "\n--- "
                    + "A".repeat(43) + "\n" + "A".repeat(32);
            try (AgeIdentities identities =
                    new AgeIdentities.Builder().passphrase(passphrase, 22).build()) {
                new AgeInputStream(new ByteArrayInputStream(file.getBytes(StandardCharsets.US_ASCII)), identities)
                        .close();
            } catch (AgeException e) {
                System.out.println("decryption: " + e.reason());
            }
        }
    }

    // Other systems do not enforce `ulimit -v`.
    @Test
    @EnabledOnOs(OS.LINUX)
    void scryptWithoutMemoryIsAnErrorOfTheSystem() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "sh", "-c", "ulimit -v 4000000 && exec \"$@\"", "sh", java, "-Xmx64m", "-XX:+UseSerialGC", "-cp",
                        System.getProperty("java.class.path"), Scrypt.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains("encryption: SYSTEM\n"), output);
        assertTrue(output.contains("decryption: SYSTEM\n"), output);
    }

    /** Passes an array that is longer than the memory that is left. */
    static final class LongArray {
        private LongArray() {}

        public static void main(String[] arguments) throws Exception {
            AgeKey.preambleLength(new byte[0], 0);
            byte[] array = new byte[128 << 20];
            long used = Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmSize:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElseThrow();
            String pid = String.valueOf(ProcessHandle.current().pid());
            String limit = "--as=" + ((used << 10) + (96 << 20));
            if (new ProcessBuilder("prlimit", "--pid", pid, limit).inheritIO().start().waitFor() != 0) {
                throw new AssertionError("prlimit");
            }
            AgeException e = assertThrows(AgeException.class, () -> Native.preambleLength(array));
            System.out.println(e.reason() + ": " + e.getMessage());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anArrayWithoutMemoryIsAnErrorOfTheSystem() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder = new ProcessBuilder(
                        java, "-Xmx512m", "-Xint", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
                        LongArray.class.getName())
                .redirectErrorStream(true);
        // More arenas would use up the memory that is left.
        builder.environment().put("MALLOC_ARENA_MAX", "1");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains("SYSTEM: there is not enough memory\n"), output);
    }
}
