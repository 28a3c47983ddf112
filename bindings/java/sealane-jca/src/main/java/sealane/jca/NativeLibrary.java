package sealane.jca;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Finds the native library, extracts it from the jar if it is there, and loads it.
 *
 * <p>Two system properties are read. {@code sealane.jca.library} is the path of the library, and
 * {@code sealane.jca.directory} is the directory to which it is extracted, instead of {@code
 * java.io.tmpdir}.
 */
final class NativeLibrary {
    private static final String PATH_PROPERTY = "sealane.jca.library";
    private static final String DIRECTORY_PROPERTY = "sealane.jca.directory";
    private static final String FILE = "libsealane_jca.so";

    /** The reason why the library is not loaded, or null. */
    private static final String PROBLEM = load();

    private NativeLibrary() {}

    static String problem() {
        return PROBLEM;
    }

    private static String load() {
        try {
            String path = System.getProperty(PATH_PROPERTY);
            if (path != null) {
                return open(
                        Path.of(path).toAbsolutePath(),
                        "the property "
                                + PATH_PROPERTY
                                + " names it. Before Java 22, only one class loader can load it, so put the jar where"
                                + " all applications share it");
            }
            String os = System.getProperty("os.name");
            String architecture = System.getProperty("os.arch");
            String platform = platform(os, architecture, isMusl());
            if (platform == null) {
                return "there is no native library for " + os + " on " + architecture;
            }
            String resource = "native/" + platform + "/" + FILE;
            try (InputStream library = NativeLibrary.class.getResourceAsStream(resource)) {
                if (library == null) {
                    return "the jar has no native library for " + platform;
                }
                return extract(library, System.getProperty(DIRECTORY_PROPERTY, System.getProperty("java.io.tmpdir")));
            }
        } catch (IOException | RuntimeException e) {
            return "the native library cannot be extracted: " + e;
        }
    }

    /** Returns the folder of the library for a system, or null if there is none. */
    static String platform(String os, String architecture, boolean musl) {
        if (!os.equals("Linux")) {
            return null;
        }
        String libc = musl ? "-musl" : "-glibc";
        return switch (architecture.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "linux-x86_64" + libc;
            case "aarch64", "arm64" -> "linux-aarch64" + libc;
            default -> null;
        };
    }

    /** Returns whether this process runs with musl. */
    static boolean isMusl() {
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return isMusl(mappings);
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Returns whether a process runs with musl, whose dynamic loader is then mapped. */
    static boolean isMusl(Stream<String> mappings) {
        return mappings.anyMatch(line -> line.contains("/ld-musl-"));
    }

    /** Writes the library to a private directory of this user, loads it, and removes both. */
    static String extract(InputStream library, String parent) throws IOException {
        Path directory = createDirectory(Path.of(parent));
        Path file = directory.resolve(FILE);
        try {
            Files.copy(library, file);
            return open(
                    file.toAbsolutePath(),
                    "it was extracted there. If programs may not be run from "
                            + parent
                            + " (noexec), set -D"
                            + DIRECTORY_PROPERTY
                            + "=DIRECTORY, or extract it and set -D"
                            + PATH_PROPERTY
                            + "=FILE");
        } finally {
            // A loaded library needs no file.
            delete(file);
            delete(directory);
        }
    }

    /**
     * Creates a directory that only this user can access.
     *
     * <p>This may run while Java loads its cryptographic providers, so it must use none of them.
     * {@link Files#createTempDirectory} takes random numbers from a provider. The name here need
     * not be random, because a directory that exists is never used.
     */
    private static Path createDirectory(Path parent) throws IOException {
        var permissions = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        for (int i = 0; ; i++) {
            String name = "sealane-jca-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + "-" + i;
            try {
                return Files.createDirectory(parent.resolve(name), permissions);
            } catch (FileAlreadyExistsException e) {
                // Tries another name.
            }
        }
    }

    /**
     * Deletes a file or a directory. Failures are ignored, because the result of loading is known:
     * some network file systems keep a deleted file in its directory while it is used.
     */
    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException | RuntimeException e) {
            // It stays.
        }
    }

    private static String open(Path file, String origin) {
        try {
            Native.load(file);
            return null;
        } catch (UnsatisfiedLinkError | RuntimeException e) {
            return "cannot load the native library " + file + ": " + e.getMessage() + " (" + origin + ")";
        }
    }
}
