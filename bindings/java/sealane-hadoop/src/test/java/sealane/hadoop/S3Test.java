package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The file system on Hadoop's connector for S3, which has no directories and renames by copying.
 */
class S3Test {
    private static final Path ROOT = new Path("age-s3a://bucket/");

    @TempDir
    java.nio.file.Path folder;

    private S3Server server;
    private Configuration conf;
    private FileSystem fs;

    @BeforeEach
    void start() throws IOException {
        server = new S3Server();
        conf = new Configuration();
        conf.addResource(Support.configuration());
        conf.setClass("fs.age-s3a.impl", AgeFileSystem.class, FileSystem.class);
        conf.setBoolean("fs.age-s3a.impl.disable.cache", true);
        conf.setBoolean("fs.s3a.impl.disable.cache", true);
        server.configure(conf, folder.toString());
        fs = new AgeFileSystem();
        fs.initialize(ROOT.toUri(), conf);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        fs.close();
    }

    private static Path path(String name) {
        return new Path(ROOT, name);
    }

    private static byte[] text(int length) {
        byte[] text = new byte[length];
        new Random(length).nextBytes(text);
        return text;
    }

    private void write(String name, byte[] text) throws IOException {
        try (FSDataOutputStream out = fs.create(path(name), true)) {
            out.write(text);
        }
    }

    @Test
    void objectsAreEncrypted() throws IOException {
        for (int length : new int[] {0, 1, 65536, 200000}) {
            byte[] text = text(length);
            write("file", text);
            byte[] object = server.objects.get("bucket/file");
            assertTrue(new String(object, StandardCharsets.ISO_8859_1).startsWith("age-encryption.org/v1\n"));
            FileStatus status = fs.getFileStatus(path("file"));
            assertEquals(length, status.getLen());
            assertEquals(path("file"), status.getPath());
            try (FSDataInputStream in = fs.open(path("file"))) {
                assertArrayEquals(text, in.readAllBytes());
                for (int position : new int[] {0, length / 3, length}) {
                    in.seek(position);
                    assertArrayEquals(Arrays.copyOfRange(text, position, length), in.readAllBytes());
                    byte[] some = new byte[Math.min(70000, length - position)];
                    in.readFully(position, some);
                    assertArrayEquals(Arrays.copyOfRange(text, position, position + some.length), some);
                }
            }
        }
        assertEquals(Set.of("bucket/file"), server.objects.keySet());
        assertThrows(IOException.class, () -> fs.create(path("file"), false).close());
        assertThrows(FileNotFoundException.class, () -> fs.open(path("other")));
        assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(path("other")));
    }

    /** Parquet reads its footer first, then the columns of a row group in ranges. */
    @Test
    void parquet() throws IOException {
        MessageType schema = MessageTypeParser.parseMessageType(
                "message numbers { required int64 id; required int64 square; }");
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(path("numbers.parquet"))
                .withConf(conf)
                .withType(schema)
                .withRowGroupSize(100_000L)
                .withDictionaryEncoding(false)
                .build()) {
            SimpleGroupFactory groups = new SimpleGroupFactory(schema);
            for (long id = 0; id < 50_000; id++) {
                writer.write(groups.newGroup().append("id", id).append("square", id * id));
            }
        }
        assertEquals(Set.of("bucket/numbers.parquet"), server.objects.keySet());
        byte[] object = server.objects.get("bucket/numbers.parquet");
        assertTrue(new String(object, StandardCharsets.ISO_8859_1).startsWith("age-encryption.org/v1\n"));
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(path("numbers.parquet"), conf))) {
            assertTrue(reader.getRowGroups().size() > 3, "row groups: " + reader.getRowGroups().size());
        }
        try (ParquetReader<Group> reader =
                ParquetReader.builder(new GroupReadSupport(), path("numbers.parquet")).withConf(conf).build()) {
            for (long id = 0; id < 50_000; id++) {
                Group row = reader.read();
                assertEquals(id, row.getLong("id", 0));
                assertEquals(id * id, row.getLong("square", 0));
            }
            assertNull(reader.read());
        }
        // Statistics leave out the other row groups.
        FilterCompat.Filter filter = FilterCompat.get(FilterApi.eq(FilterApi.longColumn("square"), 1_000_000L));
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), path("numbers.parquet"))
                .withConf(conf)
                .withFilter(filter)
                .build()) {
            assertEquals(1000, reader.read().getLong("id", 0));
            assertNull(reader.read());
        }
    }

    @Test
    void filesAreListedRenamedAndDeleted() throws IOException {
        byte[] text = text(100_000);
        write("a/b/file", text);
        write("a/empty", new byte[0]);
        FileStatus[] found = fs.listStatus(path("a"));
        assertEquals(List.of(path("a/b"), path("a/empty")), Arrays.stream(found).map(FileStatus::getPath).sorted().toList());
        assertEquals(text.length, fs.listStatus(path("a/b"))[0].getLen());
        assertTrue(fs.getFileStatus(path("a/b")).isDirectory());
        // The root without a slash.
        String root = ROOT.toString().replaceFirst("/$", "");
        assertEquals(List.of(path("a")), Arrays.stream(fs.listStatus(new Path(root))).map(FileStatus::getPath).toList());

        assertTrue(fs.rename(path("a/b"), path("c")));
        assertFalse(fs.exists(path("a/b")));
        try (FSDataInputStream in = fs.open(path("c/file"))) {
            assertArrayEquals(text, in.readAllBytes());
        }
        assertTrue(fs.delete(path("c"), true));
        assertTrue(fs.delete(path("a"), true));
        server.objects.forEach((key, object) -> assertEquals(0, object.length, key));
        assertFalse(fs.exists(path("c/file")));
    }

    @Test
    void abortedFilesAreNotStored() throws IOException {
        byte[] old = text(100);
        write("file", old);
        FSDataOutputStream out = fs.create(path("file"), true);
        assertTrue(out.hasCapability(StreamCapabilities.ABORTABLE_STREAM));
        assertFalse(out.hasCapability(StreamCapabilities.HSYNC));
        out.write(text(200_000));
        assertFalse(out.abort().alreadyClosed());
        assertTrue(out.abort().alreadyClosed());
        out.close();
        try (FSDataInputStream in = fs.open(path("file"))) {
            assertArrayEquals(old, in.readAllBytes());
        }
    }

    @Test
    void damageIsNamed() throws IOException {
        write("file", text(200_000));
        byte[] object = server.objects.get("bucket/file");
        object[object.length - 60_000] ^= 1;
        try (FSDataInputStream in = fs.open(path("file"))) {
            in.readFully(0, new byte[131072]);
            IOException e = assertThrows(IOException.class, () -> in.readFully(131072, new byte[10]));
            assertEquals("chunk 2 (plaintext from byte 131072) is corrupt", e.getMessage());
        }
    }
}
