package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Provider;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choice of the native library for a system. */
class NativeLibraryTest {
    /** The folder of {@code bindings/java/native}. */
    private static final Path NATIVE = Path.of(System.getProperty("sealane.native"));

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, false, linux-x86_64-glibc",
        "Linux, x86_64, false, linux-x86_64-glibc",
        "Linux, amd64, true, linux-x86_64-musl",
        "Linux, aarch64, false, linux-aarch64-glibc",
        "Linux, arm64, true, linux-aarch64-musl",
        "Linux, AARCH64, true, linux-aarch64-musl",
        "Linux, arm, false,",
        "Linux, x86, false,",
        "Mac OS X, aarch64, false,",
        "Windows 11, amd64, false,"
    })
    void systemsHaveTheirLibrary(String os, String architecture, boolean musl, String platform) {
        assertEquals(platform, NativeLibrary.platform(os, architecture, musl));
    }

    /** Lines as in {@code /proc/self/maps} of Java on Debian and on Alpine. */
    @Test
    void theLoaderTellsTheLibraryOfC() {
        String java = "55d0c1a5e000-55d0c1a5f000 r--p 00000000 fe:00 1311 /usr/lib/jvm/java-17-openjdk/bin/java\n";
        String glibc = "7f10e21c3000-7f10e21e9000 r-xp 00026000 fe:00 2622 /usr/lib/x86_64-linux-gnu/libc.so.6\n"
                + "7f10e23d1000-7f10e23f7000 r-xp 00001000 fe:00 2619 /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2\n";
        assertFalse(NativeLibrary.isMusl((java + glibc).lines()));
        for (String architecture : new String[] {"x86_64", "aarch64"}) {
            String musl = "7f10e23d1000-7f10e23f7000 r-xp 00014000 fe:00 261 /lib/ld-musl-" + architecture + ".so.1\n";
            assertTrue(NativeLibrary.isMusl((java + musl).lines()));
        }
        assertFalse(NativeLibrary.isMusl(Stream.of()));
    }

    /** On NFS, a file that is in use stays in its directory after it has been deleted. */
    @Test
    void aDirectoryThatStaysChangesNothing() throws IOException {
        InputStream library = new FilterInputStream(Support.library()) {
            /** Puts another file beside the library when the whole library has been read. */
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int count = super.read(bytes, offset, length);
                if (count < 0) {
                    Files.createFile(extracted().resolve("other"));
                }
                return count;
            }
        };
        try (library) {
            assertNull(NativeLibrary.extract(library, directory.toString()));
        }
        try (Stream<Path> left = Files.list(extracted())) {
            assertEquals(List.of("other"), left.map(path -> path.getFileName().toString()).toList());
        }
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(extracted())));
    }

    private Path extracted() throws IOException {
        try (Stream<Path> directories = Files.list(directory)) {
            return directories.findFirst().orElseThrow();
        }
    }

    /**
     * Two class loaders have the jar, and the property names the library. The Java Native Interface
     * allows the first one only.
     */
    @Test
    void eachClassLoaderHasItsProvider() throws Exception {
        Path library = directory.resolve("library.so");
        try (InputStream in = Support.library()) {
            Files.copy(in, library);
        }
        URL[] jar = {Path.of(System.getProperty("sealane.jar")).toUri().toURL()};
        // This class loader does not load the library after this.
        assertEquals(Optional.empty(), SealaneProvider.problem());
        System.setProperty("sealane.jca.library", library.toString());
        try (URLClassLoader first = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader());
                URLClassLoader second = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader())) {
            assertEquals(Optional.empty(), problem(first));
            Optional<?> problem = problem(second);
            if (System.getProperty("sealane.expected").equals("FFM")) {
                assertEquals(Optional.empty(), problem);
            } else {
                String message = problem.orElseThrow().toString();
                assertTrue(message.contains("put the jar where all applications share it"), message);
            }
        } finally {
            System.clearProperty("sealane.jca.library");
        }
    }

    /** Applications of one process come and go, each with its class loader. */
    @Test
    void theLibraryIsUnloadedWithItsClassLoader() throws Exception {
        Path library = directory.resolve("unloaded.so");
        try (InputStream in = Support.library()) {
            Files.copy(in, library);
        }
        encryptElsewhere(library);
        // The library is unloaded some time after its class loader was collected.
        for (int i = 0; isMapped(library); i++) {
            assertTrue(i < 100, "the library is still loaded");
            System.gc();
            Thread.sleep(100);
        }
    }

    /** Loads and uses the library with a class loader that is unreachable afterwards. */
    private static void encryptElsewhere(Path library) throws Exception {
        URL[] jar = {Path.of(System.getProperty("sealane.jar")).toUri().toURL()};
        // This class loader does not load the library after this.
        assertEquals(Optional.empty(), SealaneProvider.problem());
        System.setProperty("sealane.jca.library", library.toString());
        try (URLClassLoader loader = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader())) {
            Class<?> provider = loader.loadClass(SealaneProvider.class.getName());
            Cipher cipher =
                    Cipher.getInstance("ChaCha20-Poly1305", (Provider) provider.getConstructor().newInstance());
            cipher.init(Cipher.ENCRYPT_MODE, Support.key(new byte[32]), new IvParameterSpec(new byte[12]));
            // A long message has a context, which is freed.
            assertEquals(100_016, cipher.doFinal(new byte[100_000]).length);
            assertTrue(isMapped(library));
        } finally {
            System.clearProperty("sealane.jca.library");
        }
    }

    private static boolean isMapped(Path library) throws IOException {
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.anyMatch(line -> line.contains(library.toString()));
        }
    }

    private static Optional<?> problem(ClassLoader loader) throws ReflectiveOperationException {
        return (Optional<?>) loader.loadClass(SealaneProvider.class.getName()).getMethod("problem").invoke(null);
    }

    private static Set<String> choices() {
        return Stream.of("amd64", "aarch64")
                .flatMap(architecture -> Stream.of(true, false)
                        .map(musl -> NativeLibrary.platform("Linux", architecture, musl)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The names of platforms in {@code native/build}, which makes the folders of the jar. */
    @Test
    void everyLibraryIsBuilt() throws IOException {
        Matcher lines = Pattern.compile("^build \\S+ (\\S+) \\S+$", Pattern.MULTILINE)
                .matcher(Files.readString(NATIVE.resolve("build")));
        assertEquals(choices(), lines.results().map(line -> line.group(1)).collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void theJarHasEveryLibraryThatWasBuilt() throws IOException {
        String prefix = "sealane/jca/native/";
        Set<String> built;
        try (Stream<Path> folders = Files.list(NATIVE.resolve("target").resolve("jar"))) {
            built = folders.map(folder -> prefix + folder.getFileName() + "/libsealane_jca.so").collect(Collectors.toSet());
        }
        try (JarFile jar = new JarFile(System.getProperty("sealane.jar"))) {
            Set<String> found = jar.stream().map(entry -> entry.getName())
                    .filter(name -> name.startsWith(prefix) && !name.endsWith("/")).collect(Collectors.toSet());
            assertEquals(built, found);
        }
        assertTrue(choices().stream().anyMatch(choice -> built.contains(prefix + choice + "/libsealane_jca.so")));
    }
}
