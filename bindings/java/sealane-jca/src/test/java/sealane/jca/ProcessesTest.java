package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealane.test.CutFile;
import sealane.test.MappedFile;
import sealane.test.Report;
import sealane.test.TemporaryFile;

/**
 * Tests that need their own virtual machine: loading, {@code java.security}, garbage collectors.
 */
class ProcessesTest {
    private static final String JAR = System.getProperty("sealane.jar");

    @TempDir Path directory;

    /** The exit status of a program, and all of its output. */
    record Result(int status, String output) {}

    /** Runs a virtual machine like this one, with these arguments. */
    static Result start(List<String> arguments) throws IOException, InterruptedException {
        return start(List.of(), arguments);
    }

    /** Runs it with a command before it. */
    private static Result start(List<String> prefix, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The options of this virtual machine that choose the interface, and check its use.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.contains("native-access") || option.contains("MultiRelease")
                        || option.startsWith("-Xcheck"))
                .forEach(command::add);
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        return new Result(process.waitFor(), command + "\n" + output);
    }

    private static String run(List<String> arguments) throws IOException, InterruptedException {
        Result result = start(arguments);
        assertEquals(0, result.status(), result::output);
        // What -Xcheck:jni reports.
        assertFalse(result.output().contains("in native method"), result::output);
        return result.output();
    }

    private static List<String> reportArguments(String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path"), Report.class.getName()));
        return arguments;
    }

    private static String report(String... options) throws IOException, InterruptedException {
        return run(reportArguments(options));
    }

    /** Returns the option for a security file with this provider in the first place. */
    private String firstProvider() throws IOException {
        Path file = directory.resolve("java.security");
        Files.writeString(file, "security.provider.1=Sealane\nsecurity.provider.2=SUN\nsecurity.provider.3=SunJCE\n");
        return "-Djava.security.properties=" + file;
    }

    @Test
    void aLineInTheSecurityFileIsEnough() throws Exception {
        String output = report(firstProvider());
        assertTrue(output.contains("provider: Sealane\nproblem: none\n"), output);
    }

    /** The name of a temporary file is random, so creating the file loads the provider. */
    @Test
    void aTemporaryFileCanComeFirst() throws Exception {
        String output =
                run(List.of(
                        firstProvider(), "-cp", System.getProperty("java.class.path"), TemporaryFile.class.getName()));
        assertTrue(output.contains("provider: Sealane\nproblem: none\n"), output);
    }

    /**
     * Loading initializes no class that needs a provider itself. Another thread that initializes
     * such a class may wait for this provider.
     */
    @Test
    void loadingNeedsNoProvider() throws Exception {
        String output = report(firstProvider(), "-Xlog:class+init=info");
        assertTrue(output.contains("provider: Sealane\nproblem: none\n"), output);
        assertTrue(output.contains("'java/nio/file/Files'"), output);
        assertFalse(output.contains("java/nio/file/TempFileHelper"), output);
    }

    @Test
    void isAModule() throws Exception {
        String output =
                run(List.of(
                        "-p", JAR, "--add-modules", "sealane.jca", "-cp", System.getProperty("java.class.path"),
                        Report.class.getName()));
        assertTrue(output.contains("provider: Sealane\nproblem: none\n"), output);
        assertTrue(output.contains("module: module sealane.jca\n"), output);
        String described = run(List.of("-p", JAR, "--describe-module", "sealane.jca"));
        assertTrue(described.contains("provides java.security.Provider with sealane.jca.SealaneProvider"), described);
    }

    @Test
    void aLibraryCanBeNamed() throws Exception {
        Path library = directory.resolve("library.so");
        try (InputStream in = Support.library()) {
            Files.copy(in, library);
        }
        String output = report("-Dsealane.jca.library=" + library, "-Djava.io.tmpdir=/nonexistent");
        assertTrue(output.contains("provider: Sealane\nproblem: none\n"), output);
    }

    @Test
    void withoutALibraryTheJdkEncrypts() throws Exception {
        Path text = Files.writeString(directory.resolve("text.so"), "not a library");
        for (String option :
                new String[] {
                    "-Dsealane.jca.library=/nonexistent.so",
                    "-Dsealane.jca.library=" + text,
                    "-Dsealane.jca.directory=/nonexistent",
                    "-Dos.arch=pdp11"
                }) {
            String output = report(option);
            assertTrue(output.contains("provider: SunJCE\n"), output);
            assertFalse(output.contains("problem: none"), output);
            assertTrue(output.contains("(no services: "), output);
        }
    }

    /** Extracting the library leaves nothing behind in the directory. */
    @Test
    void extractionLeavesNothing() throws Exception {
        report("-Dsealane.jca.directory=" + directory);
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** A noexec directory, which only the started process sees, gives an explanatory error. */
    @Test
    void noexecIsExplained() throws Exception {
        String script = "mount -t tmpfs -o noexec,size=16m tmpfs \"$0\" && exec \"$@\"";
        List<String> prefix = List.of(
                "unshare", "--mount", "--map-root-user", "bash", "-c", script, directory.toString());
        Result result = start(prefix, reportArguments("-Dsealane.jca.directory=" + directory));
        assertEquals(0, result.status(), result::output);
        assertTrue(result.output().contains("provider: SunJCE\n"), result::output);
        assertTrue(result.output().contains("(noexec), set -Dsealane.jca.directory=DIRECTORY"), result::output);
    }

    /**
     * Before Java 25, collectors give up too early where many threads are in critical sections
     * (JDK-8308507 and JDK-8192647), unless the number of attempts is raised. Java 25 lacks this
     * option.
     */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC"})
    void collectors(String collector) throws Exception {
        String output =
                run(List.of(
                        collector, "-Xmx512m", "-XX:+UnlockDiagnosticVMOptions", "-XX:+IgnoreUnrecognizedVMOptions",
                        "-XX:GCLockerRetryAllocationCount=1000", "-cp", System.getProperty("java.class.path"),
                        Stress.class.getName(), "64", "2"));
        assertTrue(output.contains("passed"), output);
    }

    /** Processes mapped files, and checks how many results of each kind there are. */
    private void mapped(String state, String calls, int none, int wrongTag, int error) throws Exception {
        String output = run(List.of(
                "-cp", System.getProperty("java.class.path"), CutFile.class.getName(),
                directory.resolve("file").toString(), state, calls));
        assertEquals(none, results(output, "none"), output);
        assertEquals(wrongTag, results(output, "AEADBadTagException"), output);
        assertEquals(error, results(output, "InternalError"), output);
        assertEquals(none + wrongTag + error, results(output, ""), output);
    }

    private static long results(String output, String result) {
        return output.lines().filter(line -> line.startsWith("result: " + result)).count();
    }

    /**
     * A mapped file that is cut gives an error that can be caught. The Java Native Interface cannot
     * know which buffers are mapped, but only ciphers pass buffers to it. Java 17 may throw the
     * error later, in any other call.
     */
    @Test
    void aMappedFileCanBeCut() throws Exception {
        mapped("whole", "ciphers", 18, 2, 0);
        mapped("whole", "others", 4, 0, 0);
        if (Runtime.version().feature() >= 21) {
            mapped("cut", "others", 0, 0, 4);
        }
        if (Native.kind().equals("FFM")) {
            mapped("cut", "ciphers", 0, 0, 20);
        }
    }

    /** The memory suffices for one copy of the file, and not for two. */
    @Test
    void aMappedFileIsCopiedOnce() throws Exception {
        if (!Native.kind().equals("FFM")) {
            return;
        }
        String output = run(List.of(
                "-XX:+UseG1GC", "-Xmx64m", "-cp", System.getProperty("java.class.path"), MappedFile.class.getName(),
                directory.resolve("file").toString()));
        assertTrue(output.contains("passed"), output);
    }

    @Test
    void classPathHasTheJar() {
        assertTrue(List.of(System.getProperty("java.class.path").split(File.pathSeparator)).contains(JAR));
    }
}
