package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * OpenJDK's own tests of ChaCha20, which {@code bindings/java/fetch} compiles. They run without any
 * other provider of ciphers.
 */
class OpenJdkTest {
    private static final String REUSE = "ChaCha20NoReuse";

    /**
     * Failures that are allowed. Java 17's tests require that decrypting again with the same key
     * and nonce is refused, which is no longer so from Java 21 on.
     */
    private static final Set<String> ALLOWED = Set.of(
            "Decrypt second time without init [ChaCha20]",
            "Decrypt second time without init [ChaCha20-Poly1305]",
            "Fail decryption, try again with no init [ChaCha20-Poly1305]",
            "Decrypt, then init with same params [ChaCha20]",
            "Decrypt, then init with same params [ChaCha20-Poly1305]");

    @TempDir Path directory;

    private static Path classes() {
        return Support.outside("openjdk", "classes");
    }

    private ProcessesTest.Result run(String provider, String test) throws IOException, InterruptedException {
        String lines = String.format(
                "security.provider.1=%s%nsecurity.provider.2=SUN%nsecurerandom.source=file:/dev/random%ncrypto.policy=unlimited%n",
                provider);
        Path file = Files.writeString(directory.resolve("java.security"), lines);
        String classPath = System.getProperty("sealane.jar") + File.pathSeparator + classes();
        return ProcessesTest.start(List.of("-Djava.security.properties==" + file, "-cp", classPath, test));
    }

    static List<String> programs() throws IOException {
        try (Stream<Path> files = Files.list(classes())) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.contains("$"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .filter(name -> !name.equals(REUSE))
                    .sorted()
                    .toList();
            assertTrue(
                    names.containsAll(List.of(
                            "ChaCha20CipherUnitTest", "ChaCha20KAT", "ChaCha20KeyGeneratorTest", "ChaCha20Poly1305ParamTest",
                            "ChaCha20Poly1305ParametersUnitTest", "OutputSizeTest")),
                    names::toString);
            return names;
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void passes(String test) throws Exception {
        ProcessesTest.Result result = run("Sealane", test);
        assertEquals(0, result.status(), result::output);
    }

    @Test
    void refusesToReuseNonces() throws Exception {
        assertEquals(ALLOWED, failures(run("Sealane", REUSE)));
        if (Runtime.version().feature() >= 21) {
            assertEquals(ALLOWED, failures(run("SunJCE", REUSE)));
        }
    }

    /** Returns the titles of those of the 13 parts that failed. */
    private static Set<String> failures(ProcessesTest.Result result) {
        Set<String> failures = new TreeSet<>();
        int results = 0;
        String title = "";
        for (String line : result.output().split("\n")) {
            if (line.startsWith("----- ")) {
                title = line.replace("-----", "").strip();
            } else if (line.startsWith("Result: ")) {
                results++;
                if (!line.equals("Result: PASS")) {
                    assertFalse(title.isEmpty(), result::output);
                    failures.add(title);
                }
            }
        }
        assertEquals(13, results, result::output);
        return failures;
    }
}
